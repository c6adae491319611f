import { h } from '../jsx';
import type { HostDevices, KindModel } from '../protocol/messages';
import { ChoiceRow, type IOption } from './fields';
import { trans } from '../translation';

interface IPlaceChoiceProps {
  readonly kinds: readonly KindModel[];
  readonly devices: HostDevices;
  /** The kind. */
  readonly chosen: string;
  readonly onChoosePlace: (place: string) => void;
  readonly onChoose: (kind: string) => void;
}

/** Where the workers are and, where several kinds are at one place, on which hardware. */
export function PlaceChoice(props: IPlaceChoiceProps): JSX.Element[] {
  const { kinds, devices, chosen, onChoosePlace, onChoose } = props;
  const place = placeOf(kinds, chosen);
  const places = [...new Set(kinds.map(({ where }) => where))];
  const absent = places
    .filter(where => usableAt(kinds, where).length === 0)
    .flatMap(where => kinds.filter(kind => kind.where === where).slice(0, 1));
  const rows = [
    <ChoiceRow
      key="place"
      label={trans.__('Where')}
      chosen={place}
      options={places.map((where): IOption => {
        const kind = absent.find(one => one.where === where);
        const whyNot = kind && (kind.lacks ?? trans.__('not available'));
        return { value: where, text: where, whyNot };
      })}
      help={[
        kinds.find(({ name }) => name === chosen)?.description ?? '',
        ...absent.map(({ where, problem }) => trans.__('%1: %2', where, problem ?? ''))
      ]}
      onChoose={onChoosePlace}
    />
  ];
  // The automatic choice first: it is right for most users.
  const here = usableAt(kinds, place).sort(
    (left, right) => Number(choosesItself(right)) - Number(choosesItself(left))
  );
  if (here.length > 1) {
    rows.push(
      <ChoiceRow
        key="kind"
        label={trans.__('Hardware')}
        chosen={chosen}
        options={here.map((kind): IOption => {
          const text = choosesItself(kind) ? trans.__('Automatic') : kind.title;
          const whyNot = lacksGpu(kind, devices) ? trans.__('no usable GPU') : undefined;
          return { value: kind.name, text, whyNot };
        })}
        help={[devices.message]}
        onChoose={onChoose}
      />
    );
  }
  return rows;
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
