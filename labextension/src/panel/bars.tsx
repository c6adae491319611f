import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useRef } from 'react';

import { Bar, type IBar, type IBarWords } from '../gauges';

/** A list of bars, drawn by the gauges of any face. */
export function Bars({ bars }: { readonly bars: readonly IBar[] }): JSX.Element | null {
  return bars.length === 0 ? null : (
    <div className="gpc-Bars">
      {bars.map(bar => (
        <OneBar key={bar.label} bar={bar} />
      ))}
    </div>
  );
}

function OneBar({ bar }: { readonly bar: IBar }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<Bar | null>(null);
  useEffect(() => {
    if (drawn.current === null) {
      drawn.current = new Bar();
      host.current?.append(drawn.current.node);
    }
    drawn.current.update(bar);
  });
  return <div ref={host} />;
}

export function barWords(trans: TranslationBundle): IBarWords {
  // The figures are filled in by the gauges, which know nothing of translation: %1 used, %2 total.
  return {
    memory: trans.__('Memory'),
    vram: trans.__('VRAM'),
    rmm: trans.__('RMM'),
    memorySentence: trans.__('Workers use %1 of the %2 of host memory they may use.', '%1', '%2'),
    memoryUnlimited: trans.__('Workers use %1 of host memory; there is no limit.', '%1'),
    vramSentence: trans.__('%1 of %2 of GPU memory are in use, by anybody.', '%1', '%2'),
    rmmSentence: trans.__('%1 of the RMM pool of %2 are allocated.', '%1', '%2'),
    stale: trans.__('Reported %1 ago.', '%1')
  };
}
