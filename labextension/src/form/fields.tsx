import { infoIcon } from '@jupyterlab/ui-components';
import type React from 'react';

import type { IEnvironment } from '../actions/environment';
import { h, useId, useState } from '../jsx';
import { asSentence } from '../panel/asking';
import type { HostDevices } from '../protocol/messages';
import { placeholderOf, type Entries } from './values';
import type { IField } from './schema';
import { DeviceChoice } from './devicechoice';
import { trans } from '../translation';

export interface IFieldRowProps {
  readonly field: IField;
  readonly entry: Entries[string];
  readonly fault: string | null;
  readonly devices: HostDevices;
  readonly environment: IEnvironment;
  readonly onChange: (entry: Entries[string]) => void;
}

interface IRowProps {
  readonly name?: string;
  readonly label: string;
  readonly id: string;
  /** Several controls, or a list, below their label. */
  readonly isGroup?: boolean;
  readonly isCheckbox?: boolean;
  readonly fault?: string | null;
  /** Paragraphs, behind a button. */
  readonly help: readonly string[];
  readonly more?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** A label with its help, a control, and what is wrong with it. */
function Row(props: IRowProps): JSX.Element {
  const { name, label, id, isGroup, isCheckbox, fault, more, children } = props;
  const [isOpen, setOpen] = useState(false);
  const help = props.help.filter(Boolean);
  const kind = isCheckbox ? 'gpc-mod-checkbox' : isGroup ? 'gpc-mod-group' : '';
  return (
    <div className={`gpc-Field ${kind}`} data-field={name}>
      <div className="gpc-Field-head">
        {isGroup ? <span id={`${id}-label`}>{label}</span> : <label htmlFor={id}>{label}</label>}
        {help.length > 0 && (
          <button
            type="button"
            className="gpc-HelpButton"
            title={help.join('\n')}
            aria-label={trans.__('About %1', label)}
            aria-expanded={isOpen}
            aria-controls={`${id}-help`}
            onClick={() => setOpen(!isOpen)}
          >
            <infoIcon.react tag="span" />
          </button>
        )}
      </div>
      {children}
      {fault !== null && fault !== undefined && (
        <p id={`${id}-fault`} className="gpc-Fault" role="alert">
          {asSentence(fault)}
        </p>
      )}
      <div id={`${id}-help`} className="gpc-Help" hidden={!isOpen}>
        {help.map(paragraph => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        {more}
      </div>
    </div>
  );
}

export interface IOption {
  readonly value: string;
  readonly text: string;
  /** Why it cannot be chosen, in a few words. */
  readonly whyNot?: string;
}

interface IChoiceRowProps {
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly IOption[];
  readonly help: readonly string[];
  readonly onChoose: (value: string) => void;
  /** What the help shows besides. */
  readonly children?: React.ReactNode;
}

/** One of a few; what cannot be chosen is grey and says why. */
export function ChoiceRow(props: IChoiceRowProps): JSX.Element {
  const { label, chosen, options, help, onChoose, children } = props;
  const id = useId();
  return (
    <Row label={label} id={id} help={help} more={children}>
      <select
        id={id}
        className="gpc-Input"
        value={chosen}
        aria-describedby={`${id}-help`}
        onChange={event => onChoose(event.target.value)}
      >
        {options.map(({ value, text, whyNot }) => (
          <option key={value} value={value} disabled={whyNot !== undefined}>
            {whyNot === undefined ? text : trans.__('%1 (%2)', text, whyNot)}
          </option>
        ))}
      </select>
    </Row>
  );
}

/** A field of a spec. */
export function FieldRow(props: IFieldRowProps): JSX.Element {
  const { field, fault } = props;
  const id = useId();
  return (
    <Row
      name={field.name}
      label={field.title}
      id={id}
      isCheckbox={field.kind === 'boolean'}
      isGroup={field.kind === 'choices' || field.kind === 'devices'}
      fault={fault}
      help={[field.description]}
    >
      <Control {...props} id={id} />
    </Row>
  );
}

function Control(props: IFieldRowProps & { readonly id: string }): JSX.Element {
  const { field, entry, fault, devices, environment, onChange, id } = props;
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
        ['', active === null ? trans.__('Jupyter’s') : trans.__('last notebook’s')],
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
          placeholder={placeholderOf(field)}
          value={typeof entry === 'string' ? entry : ''}
          {...described}
          onChange={event => onChange(event.target.value)}
        />
      );
  }
}
