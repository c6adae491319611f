import { h } from '../jsx';
import type { HostDevices, OfferedPreset } from '../protocol/messages';
import { ChoiceRow, type IOption } from './fields';
import { PresetPicture } from './presetpicture';
import { trans } from '../translation';

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
