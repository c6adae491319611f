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

/*
 * The same as gpucluster.lessons.study.scrambling; tests hold both to the same vectors. It keeps eyes from falling
 * on an answer and protects nothing.
 */

/** The hash that stands for an answer. */
export function hashed(salt: string, answer: string): string {
  return hex(digest(`${salt}\n${answer}`));
}

/** A text that was locked; null when the noise is none of ours. */
export function unlocked(salt: string, key: string, noise: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(noise), character => character.charCodeAt(0));
    let block: Uint8Array = new Uint8Array();
    const mixed = bytes.map((byte, place) => {
      if (place % 32 === 0) {
        block = digest(`${salt}\n${key}\n${place / 32}`);
      }
      return byte ^ block[place % 32];
    });
    return new TextDecoder('utf-8', { fatal: true }).decode(mixed);
  } catch {
    return null;
  }
}

/** A typed answer without what does not count: case, and spaces around and between words. */
export function plainText(answer: string): string {
  return answer.replace(/[ßẞ]/g, 'ss').toLowerCase().split(/\s+/).filter(Boolean).join(' ');
}

/** How many steps a number is, rounded half to even, as Python does. */
export function numberKey(number: number, step: number): string {
  const steps = number / step;
  const below = Math.floor(steps);
  const rest = steps - below;
  const rounded = rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
  return Number.isFinite(rounded) ? BigInt(rounded).toString() : '';
}

function digest(text: string): Uint8Array {
  return sha256(new TextEncoder().encode(text));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
