import { sha256 } from './sha256';

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
