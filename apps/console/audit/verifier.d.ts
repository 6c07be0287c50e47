/** The verifier of docs/audit stands outside of the build, as an auditor has it: this is its shape. */
interface BundleFiles {
  sizes: Map<string, number>;
  pieces(path: string): AsyncIterable<Uint8Array<ArrayBuffer>>;
}
declare module '*/verify/bundle.mjs' {
  export class Differs extends Error {}
  export interface Found {
    root: string;
    chain: string;
    /** Not checked where the browser has no Ed25519. */
    signature: { key: string; checked: boolean } | null;
    seals?: { sealed: number; taken: number; unsealed: number };
    rounded?: string[];
  }
  export function verify(
    files: BundleFiles,
    sha256: (pieces: AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>) => Promise<string>,
    known: { root?: string; key?: string; continues?: string },
  ): Promise<Found>;
}
declare module '*/verify/zip.mjs' {
  export function zipFiles(
    size: number,
    read: (from: number, bytes: number) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<BundleFiles>;
}
