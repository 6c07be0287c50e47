/** Multipart bodies: fields and files, in memory only. */
import { type BodyLimits, type Exchange, moveInTurns, receive } from './body.js';
import type { BodyBudget } from './body-budget.js';
import { decodeText, MultipartParser } from './multipart-parser.js';

export interface FormFile {
  field: string;
  name: string;
  data: Uint8Array<ArrayBuffer>;
}

export interface Form {
  /** Plain fields, in the order sent; a repeated one stands here as often as it was sent. */
  fields: { name: string; value: string }[];
  files: FormFile[];
}

export interface FormLimits extends BodyLimits {
  maxFiles: number;
}

/** @throws Problem (400, 413, 415, 408, 503), ClientGone */
export async function readForm(exchange: Exchange, allowed: FormLimits, budget: BodyBudget): Promise<Form> {
  const parser = new MultipartParser(exchange.request.headers['content-type'] ?? '', allowed.maxFiles);
  await receive(exchange, allowed, budget, (chunk, until) => parser.take(chunk, until));
  parser.end();
  const parts = parser.parts.map((part) => ({ ...part, data: new Uint8Array(part.content.bytes) }));
  const moves = parts.map(({ content, data }): [typeof content, Uint8Array] => [content, data]);
  await moveInTurns(moves, exchange, budget);
  const form: Form = { fields: [], files: [] };
  for (const { field, file, charset, data } of parts) {
    if (file === undefined) form.fields.push({ name: field, value: decodeText(data, charset) });
    // A browser sends a file field that was left empty as a nameless file of no bytes.
    else if (data.length > 0 || file !== '') form.files.push({ field, name: file, data });
  }
  return form;
}
