import { referenceAxis } from './axis.js';
import { planAxis } from './sampling.js';
import { readScanFile } from './scan-file.js';

const axis = referenceAxis();
const rows = Array.from(axis, (w, i) => `${w.toFixed(3)}\t${(0.3 + ((i * 7) % 13) / 50).toFixed(4)}`).join('\n');
const outcome = (header: string, encoding: BufferEncoding = 'utf8') => {
  try {
    readScanFile('S1_1.txt', new Uint8Array(Buffer.from(`${header}\n${rows}\n`, encoding)));
    return 'read';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the header of a text export', () => {
  it.each([
    ['Wellenlänge [nm]\tExtinktion', 'wavelengths'],
    ["longueur d'onde\tabsorbance", 'wavelengths'],
    ["Lunghezza d'onda (nm)\tAssorbanza", 'wavelengths'],
    ['Longitud de onda\tAbsorbancia', 'wavelengths'],
    ['Golflengte (nm)\tAbsorbantie', 'wavelengths'],
    ['Comprimento de onda\tAbsorbância', 'wavelengths'],
    ['Длина волны, нм\tОптическая плотность', 'wavelengths'],
    ['波长\t吸光度', 'wavelengths'],
    ['波長 (nm)\t吸光度', 'wavelengths'],
    ['X[um]\tA', 'wavelengths'],
    ['Wellenzahl\tTransmissionsgrad', 'transmittance'],
    ['волновое число\tпропускание', 'transmittance'],
    ['波数\t透过率', 'transmittance'],
    ['cm-1\t%T', 'transmittance'],
    ['Wavenumber\tlog(1/R)', 'reflectance'],
    ['Wavenumbers\tLog (1/R)', 'reflectance'],
    ['cm-1\td2A', 'derivative'],
    ['cm-1\tTransm.', 'transmittance'],
    ['Points\tAbsorbance', 'no wavenumbers'],
    ['Time (s)\tAbsorbance', 'no wavenumbers'],
    ['ATR units\tATR', 'no absorbance'],
    ['Wavenumber\tAbsorptance', 'absorptance'],
    ['Wavenumber\tAbsorbance (mAU)', 'milli-absorbance'],
    ['Raman shift\tIntensity', 'Raman shifts'],
    ['DATA TYPE=RAMAN SPECTRUM', 'Raman'],
    ['Photometric mode: %T', 'transmittance'],
  ])('%s is refused as %s, by line and word', (header, called) => {
    expect(outcome(`run 12\n${header}`)).toMatch(new RegExp(`line 2 gives .*${called}.*\\("`));
  });

  it.each([
    'Wellenzahl\tExtinktion',
    "nombre d'onde\tabsorbance",
    'волновое число\tоптическая плотность',
    '波数\t吸光度',
    'Transmittance of the empty holder was checked\ncm-1\tAbsorbance',
    'Measurement mode: Transmission\nWavenumber\tAbsorbance',
    'Sample: Raman 12, reflection stage\nX\tY',
    'Wavelength (cm-1)\tAbsorbance',
  ])('%s is read', (header) => expect(outcome(header)).toBe('read'));

  it('is understood in latin1 too', () => {
    expect(outcome('Wellenlänge [nm]\tExtinktion', 'latin1')).toContain('wavelengths');
  });
});

it('a hole that ends where the reference axis begins is none', () => {
  expect(planAxis(Float64Array.from([300, 400, ...axis])).missing).toEqual([]);
});
