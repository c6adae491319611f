import type { TranslationBundle } from '@jupyterlab/translation';

import { h, useId } from '../jsx';
import type { HostDevices, KindModel } from '../protocol/messages';

interface IRadiosProps {
  readonly label: string;
  readonly chosen: string;
  /** Value, label, what is said on hover, and whether it cannot be chosen. */
  readonly options: readonly (readonly [string, string, string, boolean])[];
  readonly help?: string;
  readonly onChoose: (value: string) => void;
}

/** One of a few, all in sight; what cannot be chosen says why. */
function Radios({ label, chosen, options, help, onChoose }: IRadiosProps): JSX.Element {
  const id = useId();
  return (
    <div className="gpc-Field" role="radiogroup" aria-labelledby={id}>
      <span id={id} className="gpc-Field-label">
        {label}
      </span>
      <div className="gpc-Segments">
        {options.map(([value, text, title, disabled]) => (
          <label
            key={value}
            className={value === chosen ? 'gpc-mod-selected' : ''}
            data-disabled={disabled || undefined}
            title={title}
          >
            <input
              type="radio"
              name={id}
              value={value}
              checked={value === chosen}
              disabled={disabled}
              aria-description={title}
              onChange={() => onChoose(value)}
            />
            {text}
          </label>
        ))}
      </div>
      {help !== undefined && <p className="gpc-Help gpc-HostMessage">{help}</p>}
    </div>
  );
}

interface IPlaceChoiceProps {
  readonly kinds: readonly KindModel[];
  readonly devices: HostDevices;
  /** The kind. */
  readonly chosen: string;
  readonly trans: TranslationBundle;
  readonly onChoosePlace: (place: string) => void;
  readonly onChoose: (kind: string) => void;
}

/** Where the workers are and, where several kinds are at one place, which of them. */
export function PlaceChoice(props: IPlaceChoiceProps): JSX.Element[] {
  const { kinds, devices, chosen, trans, onChoosePlace, onChoose } = props;
  const place = placeOf(kinds, chosen);
  // What chooses by itself first: it is the right answer for most people.
  const here = usableAt(kinds, place).sort(
    (left, right) => Number(choosesItself(right)) - Number(choosesItself(left))
  );
  const radios = [
    <Radios
      key="place"
      label={trans.__('Where')}
      chosen={place}
      options={[...new Set(kinds.map(({ where }) => where))].map(where => {
        const [usable] = usableAt(kinds, where);
        const any = usable ?? kinds.find(kind => kind.where === where);
        return [where, where, any.problem ?? any.description, usable === undefined];
      })}
      onChoose={onChoosePlace}
    />
  ];
  if (here.length > 1) {
    radios.push(
      <Radios
        key="kind"
        label={trans.__('Workers run on')}
        chosen={chosen}
        options={here.map(kind => {
          const lacks = lacksGpu(kind, devices);
          const text = choosesItself(kind) ? trans.__('Automatic') : kind.title;
          return [kind.name, text, lacks ? devices.message : kind.description, lacks];
        })}
        help={devices.message}
        onChoose={onChoose}
      />
    );
  }
  return radios;
}

/** Where the workers of a kind are. */
export function placeOf(kinds: readonly KindModel[], name: unknown): string {
  return kinds.find(kind => kind.name === name)?.where ?? '';
}

/** The kinds that can be used at a place. */
export function usableAt(kinds: readonly KindModel[], place: string): KindModel[] {
  return kinds.filter(({ where, problem }) => where === place && problem === null);
}

function choosesItself({ traits }: KindModel): boolean {
  return traits !== null && traits.chooses.length > 0;
}

function lacksGpu({ traits }: KindModel, devices: HostDevices): boolean {
  return traits !== null && traits.has_gpus && traits.needs_host_check && !devices.available;
}
