import type { INotebookLinks } from '../actions/links';
import { hasEnded } from '../clusters/states';
import type { ClusterModel } from '../protocol/messages';

/** The clusters as they are listed. */
export interface IListed {
  /** The notebook's first, then the newest first. */
  readonly current: readonly ClusterModel[];
  /** What has ended and was not seen to, newest first. */
  readonly ended: readonly ClusterModel[];
}

/** Decides the order of the list and what is open in it; lives as long as the page. */
export class ListOrder {
  /** Sort what there is now. */
  arrange(clusters: readonly ClusterModel[], links: INotebookLinks): IListed {
    const sorted = [...clusters].sort((one, other) => (ageKey(one) < ageKey(other) ? 1 : -1));
    const living = sorted.filter(cluster => !hasEnded(cluster));
    this._alone ??= living.length === 1 ? living[0].id : '';
    living.forEach(({ id }) => this._seen.add(id));
    // A notebook that restarts its kernel, or is covered by another tab, unpins nothing.
    this._pinned = living.find(links.isConnected.bind(links))?.id ?? this._pinned;
    const isCurrent = (cluster: ClusterModel): boolean =>
      !hasEnded(cluster) || this._isFresh(cluster, clusters);
    // After a reload, a notebook behind another tab has not been loaded yet, but its kernel is known.
    const first = this._pinned ?? living.find(one => links.notebooksOf(one).length > 0)?.id;
    const rank = ({ id }: ClusterModel): number => (id === first ? 0 : 1);
    return {
      current: sorted.filter(isCurrent).sort((one, other) => rank(one) - rank(other)),
      ended: sorted.filter(cluster => !isCurrent(cluster))
    };
  }

  /** Take a cluster as seen alive: what the user creates may fail before the list is drawn. */
  see(id: string): void {
    this._seen.add(id);
  }

  /** Whether a card is open that was neither opened nor folded: the notebook's, and the only one there was at first. */
  isOpen({ id }: ClusterModel): boolean {
    return id === this._pinned || id === this._alone;
  }

  /** Ended before the eyes of the user, and nothing was created since: why it failed is read, or it is started again. */
  private _isFresh(cluster: ClusterModel, clusters: readonly ClusterModel[]): boolean {
    const ended = cluster.ended_at ?? '';
    return (
      this._seen.has(cluster.id) &&
      cluster.lease === null &&
      clusters.every(
        other =>
          other === cluster ||
          (other.created_at <= ended &&
            (cluster.state === 'failed' || (other.ended_at ?? '') <= ended))
      )
    );
  }

  private readonly _seen = new Set<string>();
  private _pinned: string | null = null;
  private _alone: string | null = null;
}

function ageKey({ created_at, id }: ClusterModel): string {
  return `${created_at} ${id}`;
}
