import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useId } from 'react';

import { backendLabel } from '../clusters/states';
import type { IOffer } from '../clusters/tokens';
import type { HostDevices, Preset } from '../protocol/messages';

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
    </div>
  );
}

interface IBackendChoiceProps {
  readonly backends: IOffer['backends'];
  readonly devices: HostDevices;
  readonly chosen: string;
  readonly trans: TranslationBundle;
  readonly onChoose: (backend: string) => void;
}

/** The kind of workers, and in a sentence what GPUs there are. */
export function BackendChoice({
  backends,
  devices,
  chosen,
  trans,
  onChoose
}: IBackendChoiceProps): JSX.Element {
  const id = useId();
  const needsGpu = (backend: string): boolean => backend === 'cuda' && !devices.available;
  // Automatic first: it is the right answer for most people.
  const names = Object.keys(backends).sort(
    (left, right) => Number(right === 'auto') - Number(left === 'auto')
  );
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
        {names.map(name => (
          <label
            key={name}
            className={name === chosen ? 'gpc-mod-selected' : ''}
            data-disabled={needsGpu(name) || undefined}
            title={needsGpu(name) ? devices.message : backends[name].description}
          >
            <input
              type="radio"
              name={id}
              value={name}
              checked={name === chosen}
              disabled={needsGpu(name)}
              onChange={() => onChoose(name)}
            />
            {backendLabel(name, trans)}
          </label>
        ))}
      </div>
      <p id={`${id}-help`} className="gpc-Help gpc-HostMessage">
        {devices.message}
      </p>
    </div>
  );
}
