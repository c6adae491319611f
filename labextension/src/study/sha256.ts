/*
 * SHA-256 as FIPS 180-4 has it. Browsers have it on pages with https only, and a package would be seven times as large.
 */

const PRIMES: number[] = [];
for (let number = 2; PRIMES.length < 64; number++) {
  if (PRIMES.every(prime => number % prime !== 0)) {
    PRIMES.push(number);
  }
}
const START = PRIMES.slice(0, 8).map(prime => fraction(Math.sqrt(prime)));
const CONSTANTS = PRIMES.map(prime => fraction(Math.cbrt(prime)));

export function sha256(message: Uint8Array): Uint8Array {
  // A bit that ends the message, zeros, and how many bits it has, up to whole blocks.
  const view = new DataView(new ArrayBuffer(((message.length + 72) >> 6) << 6));
  const padded = new Uint8Array(view.buffer);
  padded.set(message);
  padded[message.length] = 0x80;
  view.setUint32(padded.length - 4, message.length * 8);

  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let round = 0; round < 64; round++) {
      const [early, late] = [words[round - 15], words[round - 2]];
      words[round] =
        round < 16
          ? view.getInt32(block + 4 * round)
          : words[round - 16] +
            (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)) +
            words[round - 7] +
            (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
      const first =
        h +
        (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
        ((e & f) ^ (~e & g)) +
        CONSTANTS[round] +
        words[round];
      const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, place) => (state[place] += word));
  }
  state.forEach((word, place) => view.setInt32(4 * place, word));
  return padded.slice(0, 32);
}

/** The first 32 bits behind the point. */
function fraction(value: number): number {
  return ((value % 1) * 2 ** 32) | 0;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
