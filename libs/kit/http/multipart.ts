/** Multipart bodies: fields and files, in memory only. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { limits } from '#config/limits';
import { type BodyLimits, type Exchange, join, receive } from './body.js';
import type { BodyBudget } from './body-budget.js';
import { delimiterOf, PartCount, WholeDelimiters } from './delimiters.js';
import { Problem } from './problem.js';

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
  const form: Form = { fields: [], files: [] };
  let failure: Problem | undefined;
  const fail = (problem: Problem) => {
    failure ??= problem;
  };
  const unreadable = (why: string) => fail(new Problem('unreadable_multipart', `: ${why}`));
  const busboy = open(exchange.request, allowed);
  const announced = new PartCount(exchange.request.headers['content-type'] ?? '');
  const delimiter = delimiterOf(exchange.request.headers['content-type'] ?? '');
  const pieces = new WholeDelimiters(delimiter, (piece) => void busboy.write(piece));
  let read = 0;

  busboy.on('file', (field: string | undefined, stream: BusboyFileStream, name: string | undefined) => {
    read++;
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
    });
    stream.on('end', () => {
      // A browser sends a file field that was left empty as a nameless file of no bytes.
      if (bytes > 0 || name)
        form.files.push({ field: field ?? '', name: name ?? '', data: join(chunks, new Uint8Array(bytes)) });
    });
    stream.on('error', () => unreadable('it ends within a file'));
  });
  busboy.on('field', (name: string | undefined, value: string, _nameTruncated: boolean, truncated: boolean) => {
    read++;
    if (truncated) fail(new Problem('too_large', `: a field holds at most ${limits.fieldBytes} bytes`));
    form.fields.push({ name: name ?? '', value });
  });
  const over = (what: string, max: number) => () => fail(new Problem('too_large', `: at most ${max} ${what}`));
  busboy.on('filesLimit', over('files', allowed.maxFiles));
  busboy.on('fieldsLimit', over('fields', limits.fields));

  const finished = new Promise<void>((resolve) => {
    busboy.once('finish', resolve);
    busboy.on('error', (error: unknown) => {
      unreadable(
        error instanceof Error && /terminated early/.test(error.message) ? 'it ends early' : 'it is malformed',
      );
      resolve();
    });
  });
  await receive(exchange, allowed, budget, (chunk) => {
    if (failure) throw failure;
    announced.add(chunk);
    pieces.add(chunk);
  });
  pieces.end();
  busboy.end();
  await finished;
  if (read < announced.count) {
    unreadable('the header of a part is none, as with a line break in a file name; send plain file names');
  }
  if (failure) throw failure;
  return form;
}

function open(request: IncomingMessage, allowed: FormLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      preservePath: false,
      limits: {
        files: allowed.maxFiles,
        fields: limits.fields,
        fieldSize: limits.fieldBytes,
        headerPairs: 32,
        headerSize: 8192,
      },
    });
  } catch {
    throw new Problem('unreadable_multipart', ': its content type names no boundary');
  }
}
