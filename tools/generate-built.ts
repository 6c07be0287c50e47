/** Run by the build before anything is compiled: writes what the build makes. */
import { builtFiles, writeFiles } from './built.js';

writeFiles(await builtFiles());
