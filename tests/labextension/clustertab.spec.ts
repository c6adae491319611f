import { Signal } from '@lumino/signaling';

import { ActivityView } from '../../labextension/src/activity/activityview';
import { ChartsView } from '../../labextension/src/charts/chartsview';
import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import { LogView } from '../../labextension/src/log/logview';
import type { ClusterModel } from '../../labextension/src/protocol/messages';
import { cluster, sample } from './models';

const later = (milliseconds = 20): Promise<void> =>
  new Promise(resolve => window.setTimeout(resolve, milliseconds));

/** A store whose clusters can be replaced; notes what is read of which cluster. */
function store(...first: ClusterModel[]) {
  const read: string[] = [];
  const owner = {};
  let clusters = first;
  const manager = {
    isReady: true,
    connection: 'live',
    changed: new Signal(owner),
    sampled: new Signal(owner),
    get: (id: string) => clusters.find(one => one.id === id),
    sample: (id: string) => sample({ id }),
    get clusters() {
      return clusters;
    },
    logs: (id: string) => Promise.resolve((read.push(`log ${id}`), [`line of ${id}`])),
    activity: (id: string) => Promise.resolve((read.push(`activity ${id}`), [])),
    history: (id: string) => Promise.reject(new Error((read.push(`history ${id}`), id)))
  };
  return {
    manager: manager as unknown as IClusterManager,
    read,
    tell: (...now: ClusterModel[]) => {
      clusters = now;
      manager.changed.emit(undefined);
    }
  };
}

const alpha = (id: string, changes: Partial<ClusterModel> = {}): ClusterModel =>
  cluster({ id, name: 'alpha', ...changes });
const stopped = alpha('one', { state: 'stopped' });

describe('a tab about a cluster', () => {
  it.each([
    ['Log', LogView],
    ['Activity', ActivityView],
    ['Over time', ChartsView]
  ] as const)(
    '%s says that it has ended, and follows what is started again',
    async (kind, View) => {
      const { manager, read, tell } = store(alpha('one'));
      const view = new View({ id: 'one', name: 'alpha', manager });
      view.id = 'gpucluster-x-one';
      expect(view.title.label).toBe(`${kind}: alpha`);
      tell(stopped);
      expect(view.title.label).toBe(`${kind}: alpha (stopped)`);
      // Both are there for a moment, or stay where the first one has failed.
      tell(alpha('two'), stopped);
      expect(view.followName()).toBe(false);
      expect(view.title.label).toBe(`${kind}: alpha (stopped)`);
      tell(alpha('two'));
      expect(view.followName()).toBe(true);
      expect([view.clusterId, view.id, view.title.label]).toEqual([
        'two',
        'gpucluster-x-two',
        `${kind}: alpha`
      ]);
      await later();
      read.length = 0;
      tell();
      expect(view.followName()).toBe(false);
      await later(300);
      // Nothing is asked about what is off the list.
      expect(read).toEqual([]);
      view.dispose();
    }
  );

  it('has nothing of the cluster before', async () => {
    const { manager, tell } = store(alpha('one'));
    const log = new LogView({ id: 'one', name: 'alpha', manager });
    const charts = new ChartsView({ id: 'one', name: 'alpha', manager });
    await later();
    const before = charts.node.querySelector('.gpc-Charts');
    tell(alpha('two'));
    log.followName();
    charts.followName();
    await later();
    expect(log.text.lines.filter(line => line.includes('one'))).toEqual([]);
    expect(charts.node.querySelectorAll('.gpc-Charts')).toHaveLength(1);
    expect(charts.node.contains(before)).toBe(false);
    log.dispose();
    charts.dispose();
  });
});
