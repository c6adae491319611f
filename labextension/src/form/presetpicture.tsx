import { h } from '../jsx';
import type { OfferedPreset } from '../protocol/messages';

/** What a preset does with a worker's memory, as a bar of it; the server knows the words. */
export function PresetPicture({ preset }: { readonly preset: OfferedPreset }): JSX.Element | null {
  const { memory } = preset;
  return memory.length === 0 ? null : (
    <div
      className="gpc-PresetPicture"
      role="img"
      aria-label={memory.map(({ text }) => text).join(', ')}
    >
      <div className="gpc-PresetPicture-bar" aria-hidden="true">
        {memory.map(({ kind, share }) => (
          <i key={kind} data-kind={kind} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <p className="gpc-PresetPicture-text" aria-hidden="true">
        <b>{preset.memory_title}</b>
        {memory.map(({ kind, text }) => (
          <span key={kind}>
            <i data-kind={kind} />
            {text}
          </span>
        ))}
      </p>
    </div>
  );
}
