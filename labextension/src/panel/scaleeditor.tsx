import { RefusedError } from '../clusters/restapi';
import { can, wantedWorkers } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { Fragment, h, useEffect, useRef, useState } from '../jsx';
import type { ClusterModel, ClusterPatch } from '../protocol/messages';
import { Fault, useAsking } from './asking';
import { NoteList, useForeseen } from './notes';
import { NumberField } from './numberfield';
import { readCount } from './counts';
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
      <div className="gpc-Segments" role="radiogroup" aria-label={trans.__('How to scale')}>
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
              fault={faultOf('minimum')}
              minimum={0}
              maximum={most}
              onChange={edit(setMinimum)}
            />
            <NumberField
              label={trans.__('Maximum')}
              text={maximum}
              fault={faultOf('maximum')}
              minimum={1}
              maximum={most}
              onChange={edit(setMaximum)}
            />
          </>
        ) : (
          <NumberField
            label={trans.__('Workers')}
            text={count}
            fault={faultOf('n_workers')}
            minimum={0}
            maximum={most}
            onChange={edit(setCount)}
          />
        )}
      </div>
      {isInverted && <Fault error={trans.__('The minimum must not be above the maximum.')} />}
      {refused.length === 0 && <Fault error={asking.error} />}
      <NoteList notes={foreseen.notes} />
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
