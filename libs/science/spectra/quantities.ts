/** Names of quantities and units as instrument programs write them, and what a piece of a header says by them. */

/** What a column may hold. Wavenumbers and absorbance alone are read. */
export type Quantity = keyof typeof QUANTITIES;

/** Names, a comma between them; one may go on in the next line. */
const words = (...lines: string[]): readonly string[] => lines.join(' ').split(', ');

/**
 * By quantity: how a refusal calls it, on which axis it stands, and its names in English, German, French, Italian, Spanish, Dutch,
 * Portuguese, Russian, Chinese and Japanese, one line each where a language has its own. Case, accents and hyphens do not count.
 */
export const QUANTITIES = {
  wavenumber: {
    axis: 'x',
    called: 'wavenumbers',
    names: words(
      'wavenumber, wave number, wavenumbers, wave numbers, wavenum, kayser, kaysers, frequency, Wellenzahl,',
      "Wellenzahlen, Wellenz., nombre d'onde, nombres d'onde, numero d'onda, numeri d'onda, número de onda,",
      'números de onda, número de ondas, golfgetal, golfgetallen, волновое число, волновые числа, 波数, 波數',
    ),
  },
  shift: {
    axis: 'x',
    called: 'Raman shifts',
    names: words(
      'Raman shift, Raman shifts, Stokes shift, Ramanverschiebung, Raman Verschiebung, déplacement Raman,',
      'décalage Raman, spostamento Raman, desplazamiento Raman, deslocamento Raman, desvio Raman,',
      'Ramanverschuiving, рамановский сдвиг, комбинационный сдвиг, 拉曼位移, 拉曼频移, ラマンシフト',
    ),
  },
  wavelength: {
    axis: 'x',
    called: 'wavelengths',
    names: words(
      'wavelength, wave length, wavelengths, wave lengths, lambda, λ, Wellenlänge, Wellenlängen,',
      "Wellenlaenge, longueur d'onde, longueurs d'onde, lunghezza d'onda, lunghezze d'onda, longitud de",
      'onda, longitudes de onda, golflengte, golflengten, comprimento de onda, comprimentos de onda, длина',
      'волны, длины волн, 波长, 波長',
    ),
  },
  otherAxis: {
    axis: 'x',
    called: 'no wavenumbers',
    names: words(
      'photon energy, Photonenergie, 2theta, 2 theta, m/z, retention time, optical path difference,',
      'retardation, points, data points, time, temperature',
    ),
  },
  absorbance: {
    axis: 'y',
    called: 'absorbance',
    names: words(
      'absorbance, absorbances, absorption, abs, optical density, log(1/T), log 1/T, -log(T), -log10(T),',
      '-log T, Extinktion, Absorbanz, optische Dichte, densité optique, assorbanza, assorbimento,',
      'absorbancia, absorbância, absorvância, absorción, absorção, absorbantie, extinctie, absorptie,',
      'оптическая плотность, поглощение, абсорбция, 吸光度, 吸收, 吸収, アブソーバンス',
    ),
  },
  milliAbsorbance: {
    axis: 'y',
    called: 'milli-absorbance',
    names: words('milli absorbance, milliabsorbance, mAbs, mAU, mOD, Milliextinktion'),
  },
  absorptance: {
    axis: 'y',
    called: 'absorptance',
    names: words(
      'absorptance, absorptivity, percent absorption, percent absorbed, % absorbed, %A, Absorptionsgrad,',
      'facteur d’absorption, fattore di assorbimento, absortancia, absortância, absorptiegraad, коэффициент',
      'абсорбции, 吸收率, 吸収率',
    ),
  },
  coefficient: {
    axis: 'y',
    called: 'an absorption coefficient',
    names: words(
      'absorption coefficient, absorption coeff, extinction coefficient, absorbance coefficient,',
      "Absorptionskoeffizient, Extinktionskoeffizient, coefficient d'absorption, coefficient d'extinction,",
      'coefficiente di assorbimento, coeficiente de absorción, coeficiente de absorção,',
      'absorptiecoëfficiënt, extinctiecoëfficiënt, коэффициент поглощения, коэффициент экстинкции, 吸收系数,',
      '吸收係數, 吸収係数',
    ),
  },
  transmittance: {
    axis: 'y',
    called: 'transmittance',
    names: words(
      'transmittance, transmission, transmissivity, trans, transm, %T, T%, % transmission, % transmittance, pct T,',
      'percent transmittance, percent transmission, per cent transmittance, Transmissionsgrad,',
      'Durchlässigkeit, Durchlaessigkeit, facteur de transmission, trasmittanza, trasmissione,',
      'transmitancia, transmisión, transmissie, transmittantie, doorlaatbaarheid, transmitância,',
      'transmissão, пропускание, коэффициент пропускания, 透过率, 透過率, 透射率, 透光率, 透射比, 透過, 透射',
    ),
  },
  reflectance: {
    axis: 'y',
    called: 'reflectance, no absorbance',
    names: words(
      'reflectance, reflection, reflectivity, reflexion, refl, %R, R%, % reflectance, % reflection, log(1/R), log',
      '1/R, -log(R), -log10(R), -log R, percent reflectance, Reflexionsgrad, Reflektanz, Remission,',
      'réflectance, réflexion, facteur de réflexion, riflettanza, riflessione, reflectancia, reflectividad,',
      'reflexión, reflectie, reflectantie, refletância, reflectância, reflexão, отражение, коэффициент',
      'отражения, 反射率, 反射',
    ),
  },
  kubelkaMunk: {
    axis: 'y',
    called: 'Kubelka-Munk, no absorbance',
    names: words('Kubelka Munk, Kubelka, KM, K M, K/S, F(R), Кубелка Мунк, クベルカムンク, 库贝尔卡 芒克'),
  },
  intensity: {
    axis: 'y',
    called: 'intensity, no absorbance',
    names: words(
      'intensity, intensities, counts, count, cts, cps, counts per second, arbitrary intensity, radiance,',
      'irradiance, Intensität, Intensitaet, Impulse, Zählrate, Zählimpulse, intensité, coups, intensità,',
      'conteggi, intensidad, cuentas, intensiteit, tellingen, intensidade, contagens, интенсивность,',
      'отсчёты, импульсы, 强度, 強度, 计数, 計數, カウント',
    ),
  },
  singleBeam: {
    axis: 'y',
    called: 'a single beam, no absorbance',
    names: words(
      'single beam, single channel, sample beam, reference beam, Einkanal, Einkanalspektrum, Einstrahl,',
      'monofaisceau, faisceau simple, mono canal, monocanale, fascio singolo, monocanal, haz simple, enkele',
      'bundel, feixe único, одноканальный, 单光束, 單光束, シングルビーム',
    ),
  },
  interferogram: {
    axis: 'y',
    called: 'an interferogram, no absorbance',
    names: words(
      'interferogram, Interferogramm, interférogramme, interferogramma, interferograma, интерферограмма,',
      '干涉图, 干涉圖, インターフェログラム',
    ),
  },
  raman: {
    axis: 'y',
    called: 'Raman, no absorbance',
    names: words('Raman, Raman intensity, Raman scattering, раман, комбинационное рассеяние, 拉曼, ラマン'),
  },
  emission: {
    axis: 'y',
    called: 'emission, no absorbance',
    names: words(
      'emission, emittance, emissivity, luminescence, photoluminescence, fluorescence, Emissionsgrad,',
      'Lumineszenz, Fluoreszenz, émission, emissione, emisión, emissie, emissão, излучение, 发射, 發射, 荧光, 発光,',
      '蛍光',
    ),
  },
  derivative: {
    axis: 'y',
    called: 'a derivative, no absorbance',
    names: words(
      'd1A, d2A, dA/dx, d2A/dx2, derivative, first derivative, second derivative, 1st derivative, 2nd derivative, Ableitung, dérivée,',
      'derivata, derivada, afgeleide, производная, 导数, 導數, 微分',
    ),
  },
  otherKind: {
    axis: 'y',
    called: 'no absorbance',
    names: words(
      'ATR, ATR units, photo acoustic, photoacoustic, mass, NMR, phase, ellipsometry, circular dichroism, VCD',
    ),
  },
} as const satisfies Record<string, { axis: 'x' | 'y'; called: string; names: readonly string[] }>;

/** Units of an axis, and the one letter that a column of values may have for its head. */
const UNITS: Partial<Record<Quantity, readonly string[]>> = {
  wavenumber: words(
    'cm-1, cm^-1, cm^(-1), cm**-1, 1/cm, /cm, cm⁻¹, inverse centimeters, reciprocal centimeters, см-1,',
    '厘米-1',
  ),
  wavelength: words(
    'nm, µm, um, micron, microns, mikrometer, nanometer, nanometers, nanometres, micrometer, micrometers,',
    'micrometres, ångström, angstrom, angstroms, å, нм, мкм, 纳米, 微米, ナノメートル',
  ),
  otherAxis: words('eV, meV, keV, THz, GHz'),
};
const LETTERS: Record<string, Quantity> = {
  a: 'absorbance',
  e: 'absorbance',
  t: 'transmittance',
  r: 'reflectance',
  i: 'intensity',
};

/** Words that change nothing. */
const FILLERS = (
  'x y z axis achse axe asse eje as eixo ось column unit units value values data spectrum spectra infrared ir ftir ft mid near the ' +
  'of in per de la le and und raw mean relative rel scale no index pixel wave au a.u. arb arb. arbitrary normalized normalised'
).split(' ');

export interface Said {
  quantity: Quantity;
  /** As the table has it. */
  word: string;
  /** A unit alone says it. */
  unit?: true;
}

/** What a cell of a header says. */
export interface Reading {
  x?: Said;
  y?: Said;
  /** It holds nothing else: no sentence, no name of a sample. */
  whole: boolean;
}

/** Case, accents and the kinds of hyphens, quotes and digits do not count. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018\u2019`´]/g, "'");

const SCRIPT = /[\p{Script=Han}\p{Script=Katakana}]/u;
const LETTER = /[\p{L}\p{N}]/u;

interface Entry {
  text: string;
  said?: Said;
  unit?: true;
}

/** By their first letter, the longest first. */
const ENTRIES = (() => {
  const entries: Entry[] = FILLERS.map((text) => ({ text }));
  for (const [quantity, { names }] of Object.entries(QUANTITIES) as [Quantity, { names: readonly string[] }][])
    for (const word of names) {
      const text = plain(word);
      entries.push({ text, said: { quantity, word } });
      if (text.includes(' '))
        for (const joint of ['-', '_']) entries.push({ text: text.replaceAll(' ', joint), said: { quantity, word } });
    }
  for (const [quantity, words] of Object.entries(UNITS) as [Quantity, readonly string[]][])
    for (const word of words) entries.push({ text: plain(word), said: { quantity, word }, unit: true });
  const byFirst = new Map<string, Entry[]>();
  for (const entry of entries.sort((a, b) => b.text.length - a.text.length))
    byFirst.set(entry.text[0], [...(byFirst.get(entry.text[0]) ?? []), entry]);
  return byFirst;
})();

/** A word of the tables that stands at `at` of a plain text, and no longer word around it. */
function entryAt(text: string, at: number): Entry | undefined {
  return ENTRIES.get(text[at])?.find(({ text: name }) => {
    if (!text.startsWith(name, at)) return false;
    const before = text[at - 1];
    const behind = text[at + name.length];
    const free = (mine: string, other: string | undefined) =>
      other === undefined || SCRIPT.test(mine) || !LETTER.test(mine) || !LETTER.test(other);
    return free(name[0], before) && free(name[name.length - 1], behind);
  });
}

/**
 * What a cell, a line or a value of a header says of its column.
 * @param column it stands where the name of the column of values does: one letter is a name too
 */
export function readWords(cell: string, column = false): Reading {
  const text = plain(cell)
    .replace(/\s+/g, ' ')
    .replace(/ ?([(/]) ?/g, '$1')
    .trim();
  const percent = text.includes('%');
  const letter = column ? /^[^\p{L}\p{N}]*([a-z])[^\p{L}\p{N}]*$/u.exec(text)?.[1] : undefined;
  if (letter && LETTERS[letter])
    return { y: inPerCent({ quantity: LETTERS[letter], word: letter.toUpperCase() }, percent), whole: true };
  const found: Reading = { whole: true };
  let unit: Said | undefined;
  for (let at = 0; at < text.length; ) {
    const entry = entryAt(text, at);
    if (entry === undefined) {
      if (LETTER.test(text[at])) found.whole = false;
      do at++;
      while (at < text.length && LETTER.test(text[at]) && LETTER.test(text[at - 1]) && !SCRIPT.test(text[at]));
      continue;
    }
    at += entry.text.length;
    const { said } = entry;
    if (!said) continue;
    const { axis } = QUANTITIES[said.quantity];
    if (entry.unit) unit ??= said;
    else found[axis] = strongest(found[axis], said);
  }
  if (found.y) found.y = inPerCent(found.y, percent);
  if (!unit) return found;
  // "Absorption (cm-1)" is a coefficient; "Wavelength (cm-1)" is a slip of the pen, and "Wavenumber (nm)" is none.
  if (unit.quantity === 'wavenumber' && column && found.y?.quantity === 'absorbance' && !found.x)
    return { ...found, y: { quantity: 'coefficient', word: `${found.y.word}, ${unit.word}` } };
  return found.x?.quantity === 'shift' ? found : { ...found, x: { ...unit, unit: true } };
}

const inPerCent = (said: Said, percent: boolean): Said =>
  percent && said.quantity === 'absorbance' ? { quantity: 'absorptance', word: `${said.word}, %` } : said;

/** Beside absorbance its unit and log(1/R) count, and nothing else: "Absorbance (single beam ratio)" is read. */
function strongest(former: Said | undefined, said: Said): Said {
  if (former === undefined) return said;
  const strength = ({ quantity, word }: Said) =>
    quantity === 'milliAbsorbance' || quantity === 'coefficient' || word.includes('1/R')
      ? 2
      : Number(quantity === 'absorbance');
  return strength(said) > strength(former) ? said : former;
}
