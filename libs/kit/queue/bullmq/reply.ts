/** Results on their way from a worker to the edge that waits, as bytes in a stream of that edge. */

/** A job's vectors, little-endian: of a claim the rough side's of every encoder and then the polish side's, of a lot each stone's. */
export interface Encoded {
  model: string;
  engine: string;
  vectors: Float32Array;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
/** A copy: what Redis answers shares its memory with other answers, and begins anywhere. */
const floatsOf = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

/** The end of a job. */
export type Ending = { encoded: Encoded } | { failure: string };

/** Fields of an entry in an edge's stream. */
export function replyOf(id: string, ending: Ending): (string | Buffer)[] {
  if ('failure' in ending) return ['id', id, 'failure', ending.failure];
  const { model, engine, vectors } = ending.encoded;
  return ['id', id, 'model', model, 'engine', engine, 'vectors', bytesOf(vectors)];
}
export function readReply(fields: Buffer[]): { id: string; ending: Ending } {
  const [, id, name, first, , engine, , vectors = Buffer.alloc(0)] = fields;
  if (String(name) === 'failure') return { id: String(id), ending: { failure: String(first) } };
  const encoded = { model: String(first), engine: String(engine), vectors: floatsOf(vectors) };
  return { id: String(id), ending: { encoded } };
}
