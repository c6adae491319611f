import type { TranslationBundle } from '@jupyterlab/translation';

import { h } from '../jsx';
import type { Preset } from '../protocol/messages';

interface IPresetPictureProps {
  readonly preset: Preset;
  readonly trans: TranslationBundle;
}

interface IPart {
  readonly kind: 'pool' | 'use' | 'spill' | 'free';
  readonly share: number;
  readonly text: string;
}

/** What a preset does with a worker's memory, as a bar of it. */
export function PresetPicture({ preset, trans }: IPresetPictureProps): JSX.Element | null {
  const parts = partsOf(preset, trans);
  const isGpu = preset.spec.backend === 'cuda';
  return parts.length === 0 ? null : (
    <div
      className="gpc-PresetPicture"
      role="img"
      aria-label={parts.map(({ text }) => text).join(', ')}
    >
      <div className="gpc-PresetPicture-bar" aria-hidden="true">
        {parts.map(({ kind, share }) => (
          <i key={kind} data-kind={kind} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <p className="gpc-PresetPicture-text" aria-hidden="true">
        <b>{isGpu ? trans.__('GPU memory') : trans.__('Memory of a worker')}</b>
        {parts.map(({ kind, text }) => (
          <span key={kind}>
            <i data-kind={kind} />
            {text}
          </span>
        ))}
      </p>
    </div>
  );
}

function partsOf({ spec }: Preset, trans: TranslationBundle): IPart[] {
  if (spec.backend === 'local') {
    return [
      { kind: 'use', share: 0.6, text: trans.__('results up to 60 %') },
      { kind: 'spill', share: 0.4, text: trans.__('above: to disk') }
    ];
  }
  if (spec.backend !== 'cuda') {
    return [];
  }
  const pool = typeof spec.rmm_pool_size === 'number' ? spec.rmm_pool_size : null;
  if (pool !== null && pool > 0 && pool < 1) {
    const percent = `${Math.round(pool * 100)}`;
    return [
      { kind: 'pool', share: pool, text: trans.__('RMM pool, %1 %', percent) },
      { kind: 'free', share: 1 - pool, text: trans.__('left to others') }
    ];
  }
  if (spec.enable_cudf_spill === true) {
    return [
      {
        kind: 'use',
        share: 1,
        text: trans.__('data frames; when full, cuDF moves them to the host')
      }
    ];
  }
  return [
    { kind: 'use', share: 0.8, text: trans.__('results up to 80 %') },
    { kind: 'spill', share: 0.2, text: trans.__('above: to the host') }
  ];
}
