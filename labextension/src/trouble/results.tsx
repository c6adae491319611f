import type { INotebookLinks } from '../actions/links';
import type { IClusterManager } from '../clusters/tokens';
import { Fault, sentenceOf, useAsking } from '../panel/asking';
import { plainName } from '../panel/lines';
import { trans } from '../translation';
import { formatBytes, formatCount, gaugeWords, titleOf } from '../gauges';
import type { Unfolded } from '../panel/unfolded';
import type { ClusterModel, LargeResult, LargestResults } from '../protocol/messages';
import { h, useCallback } from '../jsx';
import { confirmLoss } from '../shell/confirm';
import { useWhileSeen } from '../host/nodewatch';

interface ILargestResultsProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly links: INotebookLinks;
  readonly unfolded: Unfolded;
}

/** While it is open, the scheduler is asked this often; it answers from memory where looking takes long. */
const ASK_MS = 3000;
/** Workers named in a line. */
const NAMED = 2;

/** Which collections take the memory, where they are and which notebook holds them; folded at first. */
export function LargestResultsList(props: ILargestResultsProps): JSX.Element {
  const { cluster, unfolded } = props;
  const key = `${cluster.id}/results`;
  const isOpen = unfolded.left(key) ?? false;
  const contentId = `gpucluster-${cluster.id}-results`;
  return (
    <div className="gpc-Gauges gpc-Results">
      <div className="gpc-Disclosure">
        <button
          className="gpc-Disclosure-button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => unfolded.set(key, !isOpen)}
        >
          {trans.__('Largest results')}
        </button>
        <div id={contentId} hidden={!isOpen}>
          {isOpen && <Open {...props} />}
        </div>
      </div>
    </div>
  );
}

function Open(props: ILargestResultsProps): JSX.Element {
  const { cluster, manager } = props;
  const asking = useAsking();
  const read = useCallback(
    () => manager.results(cluster.id).catch(sentenceOf),
    [manager, cluster.id]
  );
  const { last, place, refresh } = useWhileSeen<LargestResults | string, HTMLDivElement>(
    read,
    ASK_MS
  );
  const found = last === null || typeof last === 'string' ? [] : last.results;
  const onRelease = async (result: LargeResult, kernel: string): Promise<void> => {
    await asking.run('release', () => release(props, result, kernel));
    refresh();
  };
  return (
    <div ref={place}>
      <ul
        className="gpc-Results-list"
        aria-label={trans.__('Largest results')}
        hidden={found.length === 0}
      >
        {found.map(result => (
          <Result
            key={result.group}
            {...props}
            result={result}
            share={result.bytes / found[0].bytes}
            onRelease={kernel => void onRelease(result, kernel)}
          />
        ))}
      </ul>
      <p className="gpc-Gauges-notice">
        {last === null
          ? trans.__('Loading…')
          : typeof last === 'string'
            ? last
            : found.length === 0
              ? trans.__('No results in memory')
              : trans.__('All results: %1', formatBytes(last.total_bytes))}
      </p>
      <Fault error={asking.error} />
    </div>
  );
}

interface IResultProps extends ILargestResultsProps {
  readonly result: LargeResult;
  /** Of the largest one. */
  readonly share: number;
  readonly onRelease: (kernel: string) => void;
}

function Result(props: IResultProps): JSX.Element {
  const { cluster, links, result, share, onRelease } = props;
  const { name, group, kernels, n_clients } = result;
  const notebooks = links.notebooksOf({ ...cluster, kernels }).map(plainName);
  const isOwn =
    kernels.length === 1 && n_clients === 1 && notebooks.length === 1 && links.isHere(kernels[0]);
  return (
    <li className="gpc-Result" title={group}>
      <span className="gpc-Result-name">{name}</span>
      <span className="gpc-Track" aria-hidden="true">
        <i style={{ width: `${Math.round(100 * share)}%` }} />
      </span>
      <span className="gpc-Gauge-figure">{formatBytes(result.bytes)}</span>
      <span className="gpc-Result-where">
        {[what(result), where(props), holder(result, notebooks)].join(' · ')}
      </span>
      {isOwn && (
        <button
          className="gpc-Trouble-action"
          title={trans.__('Free this memory; %1 will lose these results', notebooks[0])}
          onClick={() => onRelease(kernels[0])}
        >
          {trans.__('Release')}
        </button>
      )}
    </li>
  );
}

function what({ type, n_results }: LargeResult): string {
  return `${formatCount(n_results)} × ${type.split('.').pop() ?? ''}`;
}

/** On which workers, and that it is GPU memory. */
function where({ cluster, manager, result }: IResultProps): string {
  const { workers, n_workers, on_gpu } = result;
  const sample = manager.sample(cluster.id);
  if (n_workers > NAMED || sample === undefined) {
    return on_gpu
      ? trans._n('%1 GPU', '%1 GPUs', n_workers)
      : trans._n('%1 worker', '%1 workers', n_workers);
  }
  const words = gaugeWords(trans);
  const titles = workers.map(worker => {
    const i = sample.workers.indexOf(worker);
    return i < 0 ? worker : titleOf(sample, i, words);
  });
  return titles.join(', ');
}

/** Who holds it: notebooks by name, others by number. */
function holder({ n_clients }: LargeResult, notebooks: readonly string[]): string {
  const others = n_clients - notebooks.length;
  if (n_clients === 0) {
    return trans.__('needed by other tasks');
  }
  const more = others > 0 ? [trans._n('%1 other client', '%1 other clients', others)] : [];
  return [...notebooks, ...more].join(', ');
}

async function release(
  { cluster, manager, links }: ILargestResultsProps,
  { name, group, bytes, kernels }: LargeResult,
  kernel: string
): Promise<void> {
  const [notebook] = links.notebooksOf({ ...cluster, kernels }).map(plainName);
  const known = (await links.variablesOf(kernel, group)) || name;
  const body = trans.__(
    'This frees %1. To use %2 in %3 again, run the cell that computes it.',
    formatBytes(bytes),
    known,
    notebook ?? ''
  );
  if (await confirmLoss(trans.__('Release %1?', known), body, trans.__('Release'))) {
    await manager.release(cluster.id, { name: known, group, kernel });
  }
}
