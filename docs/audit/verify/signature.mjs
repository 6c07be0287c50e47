/**
 * The signature of a bundle: Ed25519 over the bytes of manifest.json, by a key of the service that wrote it. It stands beside
 * the manifest, so a bundle has one root digest with it and without.
 */
import { MANIFEST, SIGNATURE, signatureShape } from './grammar.mjs';
import { bytesOf, checked, differs, parsed, utf8 } from './text.mjs';

const MOST_BYTES = 1024;
/** Of the field that points are in, RFC 8032. */
const PRIME = 2n ** 255n - 19n;
/** Second coordinate of a point of order eight. */
const EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
/** Second coordinates of the points whose order divides eight. */
const SMALL_ORDER = new Set([0n, 1n, PRIME - 1n, EIGHTH, PRIME - EIGHTH]);

/**
 * @param manifest bytes of manifest.json
 * @param seals what the manifest says of the events' seals
 * @param known the public key that it has to be by, where it is known: 64 hex digits in lower case
 * @returns null where there is no signature; else the key that it is by, and whether it was checked: `false` where this
 *   browser has no Ed25519
 * @throws Differs
 */
export async function readSignature(files, manifest, seals, known) {
  if (!files.sizes.has(SIGNATURE)) {
    if (known !== undefined) differs(SIGNATURE, 'is missing: the bundle is not signed');
    return null;
  }
  if (files.sizes.get(SIGNATURE) > MOST_BYTES) differs(SIGNATURE, 'is larger than any signature');
  const content = utf8(SIGNATURE, await bytesOf(files.pieces(SIGNATURE)));
  if (!content.endsWith('\n')) differs(SIGNATURE, 'its last line is cut');
  const { key, signature } = checked(SIGNATURE, signatureShape, parsed(SIGNATURE, content.slice(0, -1)), 'it');
  if (JSON.stringify({ algorithm: 'Ed25519', key, signature }) !== content.slice(0, -1))
    differs(SIGNATURE, 'has its members in another order');
  if (seals === undefined) differs(SIGNATURE, `is one of a ${MANIFEST} that says nothing of seals`);
  if (known !== undefined && key !== known) differs(SIGNATURE, `is by the key ${key}, not ${known}`);
  const found = await isSignature(key, signature, manifest);
  if (found === undefined && known !== undefined)
    throw new Error('this browser cannot check signatures (Ed25519): take the key away, or use mvs audit verify');
  if (found === false) differs(SIGNATURE, `is not one of ${MANIFEST} by the key ${key}`);
  return { key, checked: found === true };
}

/** Undefined where it cannot be said: a browser of before Ed25519. */
async function isSignature(key, signature, message) {
  // Implementations differ about such points: none that the service writes has one.
  if (!isUsual(key) || !isUsual(signature.slice(0, 64))) return false;
  let imported;
  try {
    imported = await crypto.subtle.importKey('raw', bytesOfHex(key), 'Ed25519', false, ['verify']);
  } catch (error) {
    return error.name === 'DataError' ? false : undefined;
  }
  return crypto.subtle.verify('Ed25519', imported, bytesOfHex(signature), message);
}

/** True unless a point's text is not its one form, or the point is of small order. */
function isUsual(point) {
  const second = BigInt(`0x${point.match(/../g).reverse().join('')}`) & (2n ** 255n - 1n);
  return second < PRIME && !SMALL_ORDER.has(second);
}

const bytesOfHex = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));

/** The outcome in words, line by line. */
export function signatureLines(signature, seals) {
  if (!signature) return ['not signed: nothing shows that a service wrote its events'];
  if (!signature.checked) return ['the signature was not checked: this browser cannot'];
  const { sealed, taken, unsealed } = seals;
  return [
    `signed by ${signature.key}`,
    `events: ${sealed} sealed, ${taken} taken by an operator as they stood, ${unsealed} without a seal`,
  ];
}
