// Looking through a window of scan sets for those whose sketches are near to one. Compiled by the build; driven, and
// explained, by ../../views/findings/windows.ts.
//
// All in integers: a product of two int8 fits an int16, and the sum of 4096 of them an int32, so that every machine,
// and plain JavaScript, finds the same.

const MOST: i32 = 1024;
const FOUND: usize = memory.data(1024 * 8, 16);

export function take(bytes: usize): usize {
  return heap.alloc(bytes);
}
export function give(pointer: usize): void {
  heap.free(pointer);
}
/** Pairs of int32, latest first: the row's place, and its product with the query. */
export function found(): usize {
  return FOUND;
}

// @ts-ignore: decorator
@inline
function dot(a: usize, b: usize, length: usize): i32 {
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < length; at += 16) {
    const x = v128.load(a + at);
    const y = v128.load(b + at);
    sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_s(i16x8.extmul_low_i8x16_s(x, y)));
    sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_s(i16x8.extmul_high_i8x16_s(x, y)));
  }
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

/**
 * Rows among the latest whose signature differs by at most `slack` bits, each with its product.
 * @param window 1,024 signatures of 64 bits, then as many rows of `length` int8, a multiple of 16
 * @param query a signature, then a row
 * @param rows how many were ever written: row n stands at place n modulo 1,024
 * @returns how many were found
 */
export function scan(window: usize, query: usize, length: usize, rows: i32, latest: i32, slack: i32): i32 {
  const signature = load<i64>(query);
  const vectors = window + (<usize>MOST << 3);
  let out = FOUND;
  for (let back = 1; back <= latest; back++) {
    const at = (rows - back) & (MOST - 1);
    if (<i32>popcnt<i64>(signature ^ load<i64>(window + (<usize>at << 3))) > slack) continue;
    store<i32>(out, at);
    store<i32>(out + 4, dot(query + 16, vectors + <usize>at * length, length));
    out += 8;
  }
  return <i32>((out - FOUND) >> 3);
}
