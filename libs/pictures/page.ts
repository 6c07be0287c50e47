/** A page of HTML that loads and runs nothing, light or dark as the reader has it, and prints on A4. */

const STYLE = `:root{color-scheme:light dark}body{font:10pt/1.4 system-ui,sans-serif;max-width:190mm;margin:10mm auto}
h1{font-size:16pt;margin:0}h2{font-size:11pt;margin:6mm 0 1mm}table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.6mm 3mm .6mm 0;border-bottom:1px solid #8886;vertical-align:top}
.verdict{font-size:12pt;font-weight:600}.unfit{border:2px solid #b3261e;padding:2mm}svg{width:100%;height:auto}
tr,svg{break-inside:avoid}.facts td+td{overflow-wrap:anywhere}@media screen{body{padding:0 4mm}}@page{size:A4;margin:12mm}`;

/** A text as HTML shows it; characters that cannot be seen are left out. */
export const escaped = (text: string): string =>
  text.replace(/[\p{C}]/gu, '').replace(/[&<>"']/g, (c) => `&#${c.codePointAt(0)};`);

/** @param title a text @param body HTML @param style more rules */
export const page = (title: string, body: string, style = ''): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}${style}</style></head><body>
${body}</body></html>
`;

/** A row of a table. */
export const cells = (tag: 'td' | 'th', texts: readonly string[]): string =>
  `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')}</tr>`;

export const list = (texts: readonly string[]): string =>
  texts.length === 0 ? '<p>none</p>' : `<ul>${texts.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
