import { ServerConnection } from '@jupyterlab/services';

import { hasGpus, pageGroups, type IPageGroup, type PlotList } from './pages';
import type { ClusterModel } from '../protocol/messages';
import { dashboardUrl } from '../clusters/restapi';

/** Which pages the dashboard of each cluster has; asks each scheduler once. */
export class PageLists {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  /** The pages of a cluster, as far as they are known now. */
  known(cluster: ClusterModel | undefined): readonly IPageGroup[] {
    const plots = cluster && this._plots.get(cluster.id);
    // A page that a person has chosen stays in the list until it is known whether there are GPUs.
    return pageGroups(plots ?? null, cluster === undefined || hasGpus(cluster));
  }

  /** The pages of a running cluster. */
  async groups(cluster: ClusterModel): Promise<readonly IPageGroup[]> {
    if (!this._plots.has(cluster.id) && cluster.dashboard_path !== null) {
      let asked = this._asked.get(cluster.id);
      if (asked === undefined) {
        asked = readPlots(this._settings, cluster.id);
        this._asked.set(cluster.id, asked);
      }
      const plots = await asked;
      this._asked.delete(cluster.id);
      if (plots !== null) {
        this._plots.set(cluster.id, plots);
      }
    }
    return this.known(cluster);
  }

  private readonly _plots = new Map<string, PlotList>();
  private readonly _asked = new Map<string, Promise<PlotList | null>>();
}

/** What the scheduler lists, or null when it does not respond: the pages that we know are offered then. */
async function readPlots(
  settings: ServerConnection.ISettings,
  id: string
): Promise<PlotList | null> {
  try {
    const url = dashboardUrl(settings, id, 'individual-plots.json');
    const response = await ServerConnection.makeRequest(url, {}, settings);
    const body: unknown = response.ok ? await response.json() : null;
    const isList =
      typeof body === 'object' &&
      body !== null &&
      Object.values(body).every(path => typeof path === 'string');
    return isList ? (body as PlotList) : null;
  } catch {
    return null;
  }
}
