import { useCallback, useEffect, useState } from '../jsx';
import { isUsable } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import type { ClusterModel, SharedLink } from '../protocol/messages';

/** A link may have been made elsewhere, or have expired. */
const AGAIN_MS = 60_000;

/** The valid links to a view of a cluster, and what asks for them again. */
export function useSharedLinks(
  cluster: ClusterModel,
  manager: IClusterManager,
  isOpen: boolean
): [readonly SharedLink[], () => void] {
  const [links, setLinks] = useState<readonly SharedLink[]>([]);
  const { id } = cluster;
  const usable = isUsable(cluster);
  const ask = useCallback(() => {
    if (usable && !document.hidden) {
      // Where nothing answers, the list says so.
      manager.links(id).then(setLinks, () => undefined);
    }
  }, [manager, id, usable]);
  useEffect(() => {
    ask();
    if (isOpen) {
      const timer = window.setInterval(ask, AGAIN_MS);
      return () => window.clearInterval(timer);
    }
    return undefined;
  }, [ask, isOpen]);
  return [usable ? links : [], ask];
}
