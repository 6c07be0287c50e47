/** The verifier of docs/audit stands outside of the build, as an auditor has it: this is its shape. */
interface BundleFiles {
  sizes: Map<string, number>;
  pieces(path: string): AsyncIterable<Uint8Array<ArrayBuffer>>;
}
declare module '*/verify/bundle.mjs' {
  export class Differs extends Error {}
  export function verify(
    files: BundleFiles,
    sha256: (pieces: AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>) => Promise<string>,
    known: { root?: string; continues?: string },
  ): Promise<{ root: string; chain: string; rounded?: string[] }>;
}
declare module '*/verify/zip.mjs' {
  export function zipFiles(
    size: number,
    read: (from: number, bytes: number) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<BundleFiles>;
}
