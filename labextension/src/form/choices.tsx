import { h } from '../jsx';
import type { HostDevices, KindModel, OfferedPreset, Demand } from '../protocol/messages';
import { ChoiceRow, type IOption } from './fields';
import { Meter } from '../panel/meter';
import { trans } from '../translation';
import { formatBytes } from '../gauges';

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

interface IDemandBarProps {
  readonly demand: Demand;
  /** Memory limits of the clusters that run on this machine. */
  readonly given: number;
}

/** As in what the server says beside it: `23.5 GiB`. */
const exactly = (bytes: number): string => formatBytes(bytes, Infinity);

/** What a cluster would take of this machine: a bar each for memory and cores, which says when it is more than there is. */
export function DemandBar({ demand, given }: IDemandBarProps): JSX.Element {
  const { n_workers, threads_per_worker, memory_limit_bytes } = demand;
  const { machine_memory_bytes, machine_cores } = demand;
  const threads = n_workers * threads_per_worker;
  const memory = n_workers * (memory_limit_bytes ?? machine_memory_bytes);
  return (
    <div className="gpc-Demand" role="group" aria-label={trans.__('Resources needed')}>
      <Line
        name={trans.__('Memory')}
        share={memory / machine_memory_bytes}
        text={
          memory_limit_bytes === null
            ? trans.__('no limit; %1 here', exactly(machine_memory_bytes))
            : trans.__(
                '%1 × %2 of %3',
                n_workers,
                exactly(memory_limit_bytes),
                exactly(machine_memory_bytes)
              )
        }
      />
      {given > 0 && (
        <p className="gpc-Hint">
          {trans.__('%1 already assigned to running clusters.', exactly(given))}
        </p>
      )}
      <Line
        name={trans.__('Threads')}
        share={threads / machine_cores}
        text={
          threads_per_worker === 1
            ? trans._n('%2 on %1 core', '%2 on %1 cores', machine_cores, threads)
            : trans._n(
                '%2 × %3 on %1 core',
                '%2 × %3 on %1 cores',
                machine_cores,
                n_workers,
                threads_per_worker
              )
        }
      />
    </div>
  );
}

interface ILineProps {
  readonly name: string;
  readonly share: number;
  readonly text: string;
}

function Line({ name, share, text }: ILineProps): JSX.Element {
  // A tenth beyond is seen as such; how far beyond, the text says.
  const isOver = share > 1.005;
  return (
    <div className="gpc-Demand-line" data-level={isOver ? 'warning' : 'normal'}>
      <span>{name}</span>
      <Meter label={name} share={share} text={text} />
      <span className="gpc-Demand-text">
        {isOver && <span aria-hidden="true">▲ </span>}
        {text}
      </span>
    </div>
  );
}
