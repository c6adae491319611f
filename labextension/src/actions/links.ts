import type { ILabShell } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, Session } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../translation';
import type { IClusterManager } from '../clusters/tokens';
import type { ClusterModel } from '../protocol/messages';
import { hasEnded } from '../clusters/states';

/** Which of the open notebooks a person sees, and which of those had the focus last. */
export class NotebooksInSight {
  constructor(
    private readonly _notebooks: INotebookTracker | null,
    /** Whether what is in front is about a cluster, such as its log: the notebook behind it is still meant. */
    private readonly _isOursInFront: () => boolean = () => false
  ) {
    _notebooks?.currentChanged.connect((_, panel) => {
      if (panel !== null) {
        this._focused.set(panel, ++this._count);
      }
    });
  }

  /** All open notebooks, the one that had the focus last first. */
  open(): NotebookPanel[] {
    const found: NotebookPanel[] = [];
    this._notebooks?.forEach(panel => found.push(panel));
    const current = this._notebooks?.currentWidget;
    const rank = (panel: NotebookPanel): number =>
      panel === current ? Infinity : (this._focused.get(panel) ?? 0);
    return found.sort((one, other) => rank(other) - rank(one));
  }

  /** The one that is meant by what acts on "the" notebook: seen, and focused last; null where none is seen. */
  last(): NotebookPanel | null {
    const open = this.open();
    const seen = open.find(panel => panel.isVisible);
    return seen ?? (this._isOursInFront() ? (open[0] ?? null) : null);
  }

  private readonly _focused = new WeakMap<NotebookPanel, number>();
  private _count = 0;
}

/** Which notebooks are connected to which clusters: shown on cards and in a notebook's toolbar. */
export interface INotebookLinks {
  /** Emitted when a notebook was shown, renamed or got another kernel; the clusters themselves tell who came. */
  readonly changed: ISignal<INotebookLinks, void>;
  /** Names of the notebooks that are connected, as far as this Jupyter knows their kernels. */
  notebooksOf(cluster: ClusterModel): readonly string[];
  /** The name of the notebook that "Connect" acts on; null where it has to ask. */
  target(): string | null;
  /** Whether that notebook is connected to the cluster. */
  isConnected(cluster: ClusterModel): boolean;
  /** Whether a notebook of this window has that kernel: others may be open in another one. */
  isHere(kernel: string): boolean;
  /** The variables of that kernel with these results, such as `big, other`; empty while it computes, or if there are none. */
  variablesOf(kernel: string, group: string): Promise<string>;
  /** Whether any notebook is open. */
  hasOpen(): boolean;
}

const VARIABLES_MS = 1000;

/** Puts together what clusters know, ids of kernels, and what Jupyter knows, their notebooks. */
export class NotebookLinks implements INotebookLinks {
  constructor(
    private readonly _sessions: Session.IManager,
    private readonly _inSight: NotebooksInSight,
    notebooks: INotebookTracker | null,
    labShell: ILabShell | null
  ) {
    const tell = (): void => this.changed.emit();
    _sessions.runningChanged.connect(tell);
    notebooks?.currentChanged.connect(tell);
    // A launcher, or a dashboard, may cover the notebook.
    labShell?.currentChanged.connect(tell);
    labShell?.layoutModified.connect(tell);
    notebooks?.widgetAdded.connect((_, panel) => {
      panel.sessionContext.kernelChanged.connect(tell);
      panel.title.changed.connect(tell);
      panel.disposed.connect(tell);
    });
  }

  readonly changed = new Signal<this, void>(this);

  notebooksOf(cluster: ClusterModel): readonly string[] {
    const names = new Map<string, string>();
    for (const { kernel, path } of this._sessions.running()) {
      if (kernel && cluster.kernels.includes(kernel.id)) {
        names.set(kernel.id, path.split('/').pop() ?? path);
      }
    }
    return [...names.values()].sort();
  }

  target(): string | null {
    return this._inSight.last()?.title.label ?? null;
  }

  isConnected(cluster: ClusterModel): boolean {
    return isUsedBy(cluster, this._inSight.last());
  }

  isHere(kernel: string): boolean {
    return this._panelOf(kernel) !== undefined;
  }

  async variablesOf(id: string, group: string): Promise<string> {
    const kernel = this._panelOf(id)?.sessionContext.session?.kernel;
    if (kernel?.status !== 'idle') {
      return '';
    }
    const collections = "__import__('gpucluster.dask_internals.collections', fromlist=[''])";
    const names = `', '.join(${collections}.variables_of(globals(), group=${JSON.stringify(group)}))`;
    // A kernel that does not answer by then has begun to compute.
    const late = new Promise<null>(resolve => setTimeout(resolve, VARIABLES_MS, null));
    const answers = await Promise.race([evaluated(kernel, { names }), late]);
    return answers?.names?.['text/plain'].slice(1, -1) ?? '';
  }

  hasOpen(): boolean {
    return this._inSight.open().length > 0;
  }

  private _panelOf(kernel: string): NotebookPanel | undefined {
    return this._inSight.open().find(panel => isUsedBy({ kernels: [kernel] }, panel));
  }
}

/** Whether the kernel of a notebook is connected to a cluster. */
export function isUsedBy(
  { kernels }: Pick<ClusterModel, 'kernels'>,
  panel: NotebookPanel | null
): boolean {
  return kernels.includes(panel?.sessionContext.session?.kernel?.id ?? '');
}

/** The running cluster that a notebook computes on; null if it is connected to none of ours. */
export function clusterOf(panel: NotebookPanel, manager: IClusterManager): ClusterModel | null {
  return manager.clusters.find(one => !hasEnded(one) && isUsedBy(one, panel)) ?? null;
}

/** What a kernel is asked: whether it can import gpucluster, and which Python it is. */
const QUESTIONS = {
  has: "__import__('importlib.util').util.find_spec('gpucluster') is not None",
  python: "str(__import__('sys').executable)"
};

/**
 * Ask the kernel of a notebook whether it has gpucluster, before a cell of ours runs in it.
 *
 * @throws Error - It has not; a sentence that says what to do, where the cell would show Python's ModuleNotFoundError.
 */
export async function requirePackage(panel: NotebookPanel): Promise<void> {
  const kernel = panel.sessionContext.session?.kernel ?? null;
  const answers = kernel === null ? {} : await evaluated(kernel, QUESTIONS);
  const text = (name: keyof typeof QUESTIONS): string => answers[name]?.['text/plain'] ?? '';
  if (text('has') !== 'False') {
    return;
  }
  const python = text('python').replace(/^'|'$/g, '');
  throw new Error(
    trans.__(
      'gpucluster is not installed in the kernel of %1 (%2). Install the server’s version there and restart it, or choose another kernel.',
      panel.title.label,
      python
    )
  );
}

/** What a kernel shows of Python expressions, by name and MIME type; neither notebook nor history have anything of it. */
export async function evaluated(
  kernel: Kernel.IKernelConnection,
  expressions: Readonly<Record<string, string>>
): Promise<Readonly<Record<string, Readonly<Record<string, string>> | undefined>>> {
  const { content } = await kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { ...expressions }
  }).done;
  const answers = Object.entries(content.status === 'ok' ? content.user_expressions : {});
  return Object.fromEntries(
    answers.map(([name, answer]) => [name, (answer as { data?: Record<string, string> }).data])
  );
}
