/** For every spec: a property that fails says what failed, not its counterexample alone. */
import fc from 'fast-check';

fc.configureGlobal({ includeErrorInReport: true });
