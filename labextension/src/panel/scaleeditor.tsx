import { asSentence, Fault, useAsking } from './asking';
import { NoteList, useForeseen } from './notes';
import type { IClusterManager } from '../clusters/tokens';
import { Fragment, h, useEffect, useId, useRef, useState } from '../jsx';
import type { ClusterModel, ClusterPatch } from '../protocol/messages';
import { can, wantedWorkers } from '../clusters/states';
import { RefusedError } from '../clusters/restapi';
import { trans } from '../translation';

interface IScaleEditorProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly onClose: () => void;
}

/** Choose a number of workers, or let it follow the load. */
export function ScaleEditor({ cluster, manager, onClose }: IScaleEditorProps): JSX.Element {
  const { adapt } = cluster.wanted;
  const [isAdaptive, setAdaptive] = useState(adapt !== null || !can(cluster, 'scale'));
  const [count, setCount] = useState(`${wantedWorkers(cluster) ?? cluster.n_workers}`);
  const [minimum, setMinimum] = useState(`${adapt?.minimum ?? 1}`);
  const [maximum, setMaximum] = useState(`${adapt?.maximum ?? Math.max(2, cluster.n_workers)}`);
  const most = useMostWorkers(manager, cluster.backend);
  const asking = useAsking();
  const form = useRef<HTMLFormElement>(null);
  // Who opens it goes on typing the number.
  useEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>('.gpc-Input');
    field?.focus();
    field?.select();
  }, []);

  const counts = {
    n_workers: readCount(count, 0, most),
    minimum: readCount(minimum, 0, most),
    maximum: readCount(maximum, 1, most)
  };
  const patch = patchOf(isAdaptive, counts);
  const foreseen = useForeseen(patch, change => manager.patchNotes(cluster.id, change));
  const isInverted =
    isAdaptive && patch === null && counts.minimum.fault === null && counts.maximum.fault === null;
  const refused = asking.error instanceof RefusedError ? asking.error.fields : [];
  const faultOf = (name: 'n_workers' | 'minimum' | 'maximum'): string | null =>
    counts[name].fault ??
    refused.find(field => field.field.split('.').pop() === name)?.message ??
    null;
  const fault = (isAdaptive ? (['minimum', 'maximum'] as const) : (['n_workers'] as const))
    .map(faultOf)
    .find(found => found !== null);
  const id = useId();
  const apply = async (): Promise<void> => {
    if (patch !== null && (await asking.run('scale', () => manager.patch(cluster.id, patch)))) {
      onClose();
    }
  };
  const edit = (set: (text: string) => void) => (text: string) => {
    asking.clear();
    set(text);
  };
  return (
    <form
      ref={form}
      className="gpc-ScaleEditor"
      aria-label={trans.__('Scale %1', cluster.name)}
      onSubmit={event => {
        event.preventDefault();
        void apply();
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          onClose();
        }
      }}
    >
      <div className="gpc-Segments" role="radiogroup" aria-label={trans.__('Scaling')}>
        {[false, true].map(adaptive => (
          <label key={`${adaptive}`} className={adaptive === isAdaptive ? 'gpc-mod-selected' : ''}>
            <input
              type="radio"
              name={`gpucluster-scale-${cluster.id}`}
              checked={adaptive === isAdaptive}
              disabled={!can(cluster, adaptive ? 'adapt' : 'scale')}
              onChange={() => {
                asking.clear();
                setAdaptive(adaptive);
              }}
            />
            {adaptive ? trans.__('Adaptive') : trans.__('Fixed')}
          </label>
        ))}
      </div>
      <div className="gpc-ScaleEditor-fields">
        {isAdaptive ? (
          <>
            <NumberField
              label={trans.__('Minimum')}
              text={minimum}
              faultId={faultOf('minimum') && id}
              minimum={0}
              maximum={most}
              onChange={edit(setMinimum)}
            />
            <NumberField
              label={trans.__('Maximum')}
              text={maximum}
              faultId={faultOf('maximum') && id}
              minimum={1}
              maximum={most}
              onChange={edit(setMaximum)}
            />
          </>
        ) : (
          <NumberField
            label={trans.__('Workers')}
            text={count}
            faultId={faultOf('n_workers') && id}
            minimum={0}
            maximum={most}
            onChange={edit(setCount)}
          />
        )}
      </div>
      <div className="gpc-Buttons">
        <button
          type="submit"
          className="gpc-Button gpc-mod-accept"
          disabled={patch === null || asking.busy !== null}
        >
          {trans.__('Apply')}
        </button>
        <button type="button" className="gpc-Button" onClick={onClose}>
          {trans.__('Cancel')}
        </button>
      </div>
      {fault && (
        <p id={id} className="gpc-Fault" role="alert">
          {asSentence(fault)}
        </p>
      )}
      {isInverted && <Fault error={trans.__('The minimum must not exceed the maximum.')} />}
      {refused.length === 0 && <Fault error={asking.error} />}
      <NoteList notes={foreseen.notes} />
    </form>
  );
}

type Counts = Record<'n_workers' | 'minimum' | 'maximum', { value: number | null }>;

function patchOf(isAdaptive: boolean, counts: Counts): ClusterPatch | null {
  if (!isAdaptive) {
    return counts.n_workers.value === null ? null : { n_workers: counts.n_workers.value };
  }
  const minimum = counts.minimum.value;
  const maximum = counts.maximum.value;
  return minimum === null || maximum === null || minimum > maximum
    ? null
    : { adapt: { minimum, maximum } };
}

/** The site's bound on the number of workers, once it is known. */
function useMostWorkers(manager: IClusterManager, backend: string): number | undefined {
  const [most, setMost] = useState<number>();
  useEffect(() => {
    let isWanted = true;
    manager.kinds().then(
      kinds => {
        const property = kinds.backends[backend]?.properties?.n_workers;
        const bounds = [property, ...(property?.anyOf ?? [])].map(option => option?.maximum);
        if (isWanted) {
          setMost(bounds.find(bound => bound !== undefined));
        }
      },
      // Without the bound the server's answer says what is allowed.
      () => undefined
    );
    return () => {
      isWanted = false;
    };
  }, [manager, backend]);
  return most;
}

/** A number of workers as typed: its value, or what is wrong with it. */
interface ICount {
  readonly value: number | null;
  readonly fault: string | null;
}

function readCount(text: string, minimum: number, maximum: number | undefined): ICount {
  const value = Number(text.trim());
  if (!/^[+-]?\d+$/.test(text.trim())) {
    return { value: null, fault: trans.__('enter a whole number, e.g. 2') };
  }
  if (value < minimum) {
    return {
      value: null,
      fault: trans._n('must be at least %1 worker', 'must be at least %1 workers', minimum)
    };
  }
  if (maximum !== undefined && value > maximum) {
    return {
      value: null,
      fault: trans._n('must be at most %1 worker', 'must be at most %1 workers', maximum)
    };
  }
  return { value, fault: null };
}

interface INumberFieldProps {
  readonly label: string;
  readonly text: string;
  /** Id of what is wrong with it; null: nothing is. */
  readonly faultId: string | null;
  readonly minimum: number;
  readonly maximum: number | undefined;
  readonly onChange: (text: string) => void;
}

/** A number with a button on either side. A text field underneath: what is typed is never swallowed. */
function NumberField(props: INumberFieldProps): JSX.Element {
  const { label, text, faultId, minimum, maximum, onChange } = props;
  const id = useId();
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text.trim()) : null;
  const step = (by: number): void => {
    const next = Math.max(minimum, (value ?? minimum) + by);
    onChange(`${maximum === undefined ? next : Math.min(maximum, next)}`);
  };
  return (
    <div className="gpc-NumberField">
      <label htmlFor={id}>{label}</label>
      <div className="gpc-Stepper">
        <button
          type="button"
          className="gpc-Stepper-button"
          aria-label={trans.__('%1: one less', label)}
          disabled={value !== null && value <= minimum}
          onClick={() => step(-1)}
        >
          −
        </button>
        <input
          id={id}
          className="gpc-Input"
          inputMode="numeric"
          autoComplete="off"
          value={text}
          aria-invalid={faultId !== null}
          aria-describedby={faultId ?? undefined}
          onChange={event => onChange(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
              event.preventDefault();
              step(event.key === 'ArrowUp' ? 1 : -1);
            }
          }}
        />
        <button
          type="button"
          className="gpc-Stepper-button"
          aria-label={trans.__('%1: one more', label)}
          disabled={maximum !== undefined && value !== null && value >= maximum}
          onClick={() => step(1)}
        >
          +
        </button>
      </div>
    </div>
  );
}
