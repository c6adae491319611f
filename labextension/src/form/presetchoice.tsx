import type { TranslationBundle } from '@jupyterlab/translation';

import { h, useId } from '../jsx';
import type { HostDevices, OfferedPreset } from '../protocol/messages';
import { PresetPicture } from './presetpicture';

interface IPresetChoiceProps {
  readonly presets: readonly OfferedPreset[];
  readonly devices: HostDevices;
  /** Name of the preset; empty when something else was chosen. */
  readonly chosen: string;
  readonly trans: TranslationBundle;
  readonly onChoose: (preset: OfferedPreset) => void;
}

/** Named starting points. */
export function PresetChoice({
  presets,
  devices,
  chosen,
  trans,
  onChoose
}: IPresetChoiceProps): JSX.Element {
  const id = useId();
  const preset = presets.find(candidate => candidate.name === chosen);
  return (
    <div className="gpc-Field">
      <label htmlFor={id}>{trans.__('Preset')}</label>
      <select
        id={id}
        className="gpc-Input"
        value={chosen}
        aria-describedby={`${id}-help`}
        onChange={event => {
          const found = presets.find(candidate => candidate.name === event.target.value);
          if (found !== undefined) {
            onChoose(found);
          }
        }}
      >
        {chosen === '' && <option value="">{trans.__('Your own choice')}</option>}
        {presets.map(({ name, title, needs_gpu }) => (
          <option key={name} value={name} disabled={needs_gpu && !devices.available}>
            {needs_gpu && !devices.available ? trans.__('%1 (needs a GPU)', title) : title}
          </option>
        ))}
      </select>
      <p id={`${id}-help`} className="gpc-Help">
        {preset?.description ?? trans.__('Choose a preset to start over from it.')}
      </p>
      {preset !== undefined && <PresetPicture preset={preset} />}
    </div>
  );
}
