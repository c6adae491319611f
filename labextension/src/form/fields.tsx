import type { TranslationBundle } from '@jupyterlab/translation';

import type { IEnvironment } from '../actions/environment';
import { h, useId } from '../jsx';
import { asSentence } from '../panel/asking';
import type { HostDevices } from '../protocol/messages';
import { DeviceChoice } from './devicechoice';
import type { IField } from './schema';
import { placeholderOf, type Entries } from './values';

export interface IFieldRowProps {
  readonly field: IField;
  readonly entry: Entries[string];
  readonly fault: string | null;
  readonly devices: HostDevices;
  readonly environment: IEnvironment;
  readonly trans: TranslationBundle;
  readonly onChange: (entry: Entries[string]) => void;
}

/** A field with its label, its help and what is wrong with it. */
export function FieldRow(props: IFieldRowProps): JSX.Element {
  const { field, fault } = props;
  const id = useId();
  const isCheckbox = field.kind === 'boolean';
  const isGroup = field.kind === 'choices' || field.kind === 'devices';
  const label = isGroup ? (
    <span id={`${id}-label`} className="gpc-Field-label">
      {field.title}
    </span>
  ) : (
    <label htmlFor={id}>{field.title}</label>
  );
  return (
    <div className={`gpc-Field ${isCheckbox ? 'gpc-mod-checkbox' : ''}`} data-field={field.name}>
      {!isCheckbox && label}
      <Control {...props} id={id} />
      {isCheckbox && label}
      {fault !== null && (
        <p id={`${id}-fault`} className="gpc-Fault" role="alert">
          {asSentence(fault)}
        </p>
      )}
      <p id={`${id}-help`} className="gpc-Help">
        {field.description}
      </p>
    </div>
  );
}

function Control(props: IFieldRowProps & { readonly id: string }): JSX.Element {
  const { field, entry, fault, devices, environment, trans, onChange, id } = props;
  const described = {
    'aria-invalid': fault !== null,
    'aria-describedby': fault === null ? `${id}-help` : `${id}-fault ${id}-help`
  };
  const select = (options: readonly (readonly [string, string])[]): JSX.Element => (
    <select
      id={id}
      className="gpc-Input"
      value={String(entry)}
      {...described}
      onChange={event => onChange(event.target.value)}
    >
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
  const chosen = Array.isArray(entry) ? (entry as readonly string[]) : [];
  switch (field.kind) {
    case 'boolean':
      return (
        <input
          id={id}
          type="checkbox"
          checked={entry === true}
          {...described}
          onChange={event => onChange(event.target.checked)}
        />
      );
    case 'switch':
      return select([
        ['', trans.__('automatic')],
        ['true', trans.__('on')],
        ['false', trans.__('off')]
      ]);
    case 'choice':
      return select(field.options.map(option => [option, option]));
    case 'kernel': {
      const active = environment.activeKernel();
      const kernels = environment.kernels();
      return select([
        [
          '',
          active === null
            ? trans.__("the Jupyter server's own")
            : trans.__('of the notebook used last')
        ],
        ...kernels.map(({ name, displayName }) => [name, displayName] as const)
      ]);
    }
    case 'choices':
      return (
        <div
          className="gpc-Choices"
          role="group"
          aria-labelledby={`${id}-label`}
          aria-describedby={`${id}-help`}
        >
          {field.options.map(option => (
            <label key={option}>
              <input
                type="checkbox"
                checked={chosen.includes(option)}
                onChange={event =>
                  onChange(
                    event.target.checked
                      ? [...chosen, option]
                      : chosen.filter(other => other !== option)
                  )
                }
              />
              {option}
            </label>
          ))}
        </div>
      );
    case 'devices':
      return (
        <DeviceChoice
          labelledBy={`${id}-label`}
          describedBy={`${id}-help`}
          devices={devices.devices}
          chosen={chosen}
          trans={trans}
          onChange={onChange}
        />
      );
    default:
      return (
        <input
          id={id}
          className="gpc-Input"
          inputMode={field.kind === 'integer' ? 'numeric' : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholderOf(field, trans)}
          value={typeof entry === 'string' ? entry : ''}
          {...described}
          onChange={event => onChange(event.target.value)}
        />
      );
  }
}
