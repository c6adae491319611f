/**
 * What the lines below cells share with the panel.
 *
 * They are a script of their own, which the panel hands these parts when it is loaded: a script that imports from another
 * one costs both of them more bytes than this.
 */
import type { IParts } from './parts';

export let cut: IParts[0];
export let element: IParts[1];
export let setText: IParts[2];
export let formatBytes: IParts[3];
export let gaugeWords: IParts[4];
export let trans: IParts[5];
export let ProgressList: IParts[6];
export let Sparkline: IParts[7];
export let Tooltip: IParts[8];
export let Trace: IParts[9];

/** Called once, before anything is drawn. */
export function share(parts: IParts): void {
  [cut, element, setText, formatBytes, gaugeWords, trans, ProgressList, Sparkline, Tooltip, Trace] =
    parts;
}
