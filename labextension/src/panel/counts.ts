import { trans } from '../translation';

/** A number of workers as typed: its value, or what is wrong with it. */
export interface ICount {
  readonly value: number | null;
  readonly fault: string | null;
}

export function readCount(text: string, minimum: number, maximum: number | undefined): ICount {
  const value = Number(text.trim());
  if (!/^[+-]?\d+$/.test(text.trim())) {
    return { value: null, fault: trans.__('enter a whole number, e.g. 2') };
  }
  if (value < minimum) {
    return {
      value: null,
      fault: trans._n('must be at least %1 worker', 'must be at least %1 workers', minimum)
    };
  }
  if (maximum !== undefined && value > maximum) {
    return {
      value: null,
      fault: trans._n('must be at most %1 worker', 'must be at most %1 workers', maximum)
    };
  }
  return { value, fault: null };
}
