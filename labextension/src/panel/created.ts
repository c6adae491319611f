import type { IClusterManager } from '../clusters/tokens';
import { cardKey } from './clustercard';
import { hasEnded, isUsable } from '../clusters/states';
import type { Unfolded } from './unfolded';

/** What this page has created: its card is opened and comes into view, and once more if it fails while it starts. */
export class CreatedClusters {
  constructor(
    private readonly _manager: IClusterManager,
    private readonly _unfolded: Unfolded
  ) {
    _manager.created.connect((_, { id }) => {
      _unfolded.set(id, true);
      this._starting.add(id);
      this._next = id;
      this._look();
    });
    _manager.changed.connect(() => this._look());
  }

  /** Bring the card into view, once it is drawn. The focus goes to what has failed, unless it is in a field or outside of the panel. */
  reveal(list: HTMLElement | null): void {
    const title = [...(list?.querySelectorAll<HTMLElement>('h3') ?? [])].find(
      ({ id }) => id === `gpucluster-${this._next}`
    );
    if (title === undefined) {
      return;
    }
    this._next = null;
    title.closest('.gpc-ClusterCard')?.scrollIntoView({ block: 'nearest' });
    const { activeElement } = document;
    const panel = title.closest('.gpc-ClusterPanel') ?? list;
    const isFree =
      activeElement === document.body ||
      (panel?.contains(activeElement) && !activeElement?.matches('input, select, textarea'));
    if (isFree && title.closest<HTMLElement>('.gpc-ClusterCard')?.dataset.state === 'failed') {
      title.focus({ preventScroll: true });
    }
  }

  private _look(): void {
    for (const id of this._starting) {
      const cluster = this._manager.get(id);
      if (cluster === undefined || hasEnded(cluster) || isUsable(cluster)) {
        this._starting.delete(id);
      }
      if (cluster?.state === 'failed') {
        this._next = id;
        this._unfolded.set(cardKey(cluster), true);
      }
    }
  }

  private readonly _starting = new Set<string>();
  private _next: string | null = null;
}
