import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

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
