import { h } from '../jsx';
import type { HostDevices, OfferedPreset } from '../protocol/messages';
import { ChoiceRow, type IOption } from './fields';
import { trans } from '../translation';

/** What a preset does with a worker's memory, as a bar of it; the server knows the words. */
function PresetPicture({ preset }: { readonly preset: OfferedPreset }): JSX.Element | null {
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

interface IPresetChoiceProps {
  readonly presets: readonly OfferedPreset[];
  readonly devices: HostDevices;
  /** Name of the preset; empty when something else was chosen. */
  readonly chosen: string;
  readonly onChoose: (preset: OfferedPreset) => void;
}

/** Named starting points. */
export function PresetChoice(props: IPresetChoiceProps): JSX.Element {
  const { presets, devices, chosen, onChoose } = props;
  const preset = presets.find(candidate => candidate.name === chosen);
  const options = presets.map(({ name, title, needs_gpu }): IOption => ({
    value: name,
    text: title,
    whyNot: needs_gpu && !devices.available ? trans.__('needs a GPU') : undefined
  }));
  return (
    <ChoiceRow
      label={trans.__('Preset')}
      chosen={chosen}
      options={chosen === '' ? [{ value: '', text: trans.__('Custom') }, ...options] : options}
      help={[preset?.description ?? trans.__('Choosing a preset overwrites the fields below.')]}
      onChoose={name => {
        const found = presets.find(candidate => candidate.name === name);
        if (found !== undefined) {
          onChoose(found);
        }
      }}
    >
      {preset !== undefined && <PresetPicture preset={preset} />}
    </ChoiceRow>
  );
}
