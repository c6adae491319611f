import type { TranslationBundle } from '@jupyterlab/translation';

import { h, useId } from '../jsx';
import type { HostDevices, KindModel, Preset } from '../protocol/messages';
import { PresetPicture } from './presetpicture';

interface IPresetChoiceProps {
  readonly presets: readonly Preset[];
  readonly devices: HostDevices;
  /** Name of the preset; empty when something else was chosen. */
  readonly chosen: string;
  readonly trans: TranslationBundle;
  readonly onChoose: (preset: Preset) => void;
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
      {preset !== undefined && <PresetPicture preset={preset} trans={trans} />}
    </div>
  );
}

interface IKindChoiceProps {
  readonly kinds: readonly KindModel[];
  readonly devices: HostDevices;
  readonly chosen: string;
  readonly trans: TranslationBundle;
  readonly onChoose: (kind: string) => void;
}

/** The kind of workers, and in a sentence what GPUs there are. */
export function KindChoice({
  kinds,
  devices,
  chosen,
  trans,
  onChoose
}: IKindChoiceProps): JSX.Element {
  const id = useId();
  // What chooses by itself first: it is the right answer for most people.
  const sorted = [...kinds].sort(
    (left, right) => Number(choosesItself(right)) - Number(choosesItself(left))
  );
  const unusable = kinds.filter(({ problem }) => problem !== null);
  return (
    <div
      className="gpc-Field"
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-help`}
    >
      <span id={`${id}-label`} className="gpc-Field-label">
        {trans.__('Workers run on')}
      </span>
      <div className="gpc-Segments">
        {sorted
          .filter(({ problem }) => problem === null)
          .map(kind => (
            <label
              key={kind.name}
              className={kind.name === chosen ? 'gpc-mod-selected' : ''}
              data-disabled={lacksGpu(kind, devices) || undefined}
              title={lacksGpu(kind, devices) ? devices.message : kind.description}
            >
              <input
                type="radio"
                name={id}
                value={kind.name}
                checked={kind.name === chosen}
                disabled={lacksGpu(kind, devices)}
                onChange={() => onChoose(kind.name)}
              />
              {choosesItself(kind) ? trans.__('Automatic') : kind.title}
            </label>
          ))}
      </div>
      <p id={`${id}-help`} className="gpc-Help gpc-HostMessage">
        {devices.message}
      </p>
      {unusable.map(({ name, package: from, problem }) => (
        <p key={`${name} ${from}`} className="gpc-Help">
          {trans.__(
            'The kind “%1” of the package %2 cannot be used. %3',
            name,
            from,
            problem ?? ''
          )}
        </p>
      ))}
    </div>
  );
}

function choosesItself({ traits }: KindModel): boolean {
  return traits !== null && traits.chooses.length > 0;
}

function lacksGpu({ traits }: KindModel, devices: HostDevices): boolean {
  return traits !== null && traits.has_gpus && traits.needs_host_check && !devices.available;
}
