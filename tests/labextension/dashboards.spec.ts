import { Widget } from '@lumino/widgets';

import { arrange, stack, type IPlace } from '../../labextension/src/dashboards/arrangement';
import { attachedCluster, waitingSentence } from '../../labextension/src/dashboards/attachment';
import { darkValues } from '../../labextension/src/dashboards/dashboardframe';
import { isPage, pageGroups, pageTitle } from '../../labextension/src/dashboards/pages';
import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import type { ClusterModel } from '../../labextension/src/protocol/messages';
import { cluster } from './models';

const PLOTS = {
  'Individual Task Stream': '/individual-task-stream',
  'Individual Gpu Memory': '/individual-gpu-memory',
  'Individual Brand New': '/individual-brand-new',
  Evil: '/../../../lab'
};

function paths(plots: Record<string, string> | null, gpus: boolean): string[] {
  return pageGroups(plots, gpus).flatMap(group => group.pages.map(page => page.path));
}

function managerOf(...clusters: ClusterModel[]): IClusterManager {
  const get = (id: string) => clusters.find(candidate => candidate.id === id);
  return { clusters, get, isReady: true, connection: 'live' } as unknown as IClusterManager;
}

describe('the pages of a dashboard', () => {
  it('are the plots that the scheduler lists and the whole pages that are always there', () => {
    const listed = paths(PLOTS, true);
    expect(listed).toContain('individual-task-stream');
    expect(listed).toContain('status');
    expect(listed).not.toContain('individual-progress');
    expect(paths(null, true)).toContain('individual-progress');
  });

  it('with a name that we do not know come last, under a readable one', () => {
    const groups = pageGroups(PLOTS, true);
    expect(groups[groups.length - 1]).toEqual({
      title: 'More',
      pages: [{ path: 'individual-brand-new', title: 'Brand new' }]
    });
    expect(pageTitle('statics/individual-new-map.html')).toBe('New map');
  });

  it('of GPUs are there only where GPUs are', () => {
    expect(paths(PLOTS, true)).toContain('individual-gpu-memory');
    expect(paths(PLOTS, false).filter(path => path.includes('gpu'))).toEqual([]);
  });

  it('have one title each', () => {
    const titles = pageGroups(null, true).flatMap(({ pages }) => pages.map(p => p.title));
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  });

  it('never lead out of the dashboard', () => {
    expect(['status', 'info/main/workers.html', 'individual-cpu'].every(isPage)).toBe(true);
    const bad = [
      '',
      '/status',
      '../lab',
      'a/../b',
      'a//b',
      'a/..',
      'javascript:x',
      'a?b',
      'a#b',
      7
    ];
    expect(bad.filter(isPage)).toEqual([]);
    expect(paths(PLOTS, true).filter(path => path.includes('..'))).toEqual([]);
  });
});

describe('pages without room for columns', () => {
  it('stand in one column, the others of a row behind its first', () => {
    const places: [string, IPlace][] = [];
    const views = stack([['a', 'b', 'c'], [], ['d', 'e']], { ref: 'notebook' }, (page, place) => {
      places.push([page, place]);
      const view = new Widget();
      view.id = page;
      return view;
    });
    expect(views.map(({ id }) => id)).toEqual(['a', 'd', 'b', 'e', 'c']);
    expect(places).toEqual([
      ['a', { ref: 'notebook' }],
      ['d', { mode: 'tab-after', ref: 'a', activate: false }],
      ['b', { mode: 'split-bottom', ref: 'a' }],
      ['e', { mode: 'tab-after', ref: 'b', activate: false }],
      ['c', { mode: 'split-bottom', ref: 'b' }]
    ]);
  });
});

describe('neutral colours of a plot', () => {
  it('become readable on a dark ground, and hues stay', () => {
    const axis = {
      type: 'LinearAxis',
      properties: { axis_line_color: 0, major_label_text_color: 0, fill_color: 0, line_width: 0 },
      axis_line_color: 'black',
      major_label_text_color: { value: '#444444' },
      fill_color: '#ffff00',
      line_width: 1
    };
    expect(darkValues(axis)).toEqual({
      axis_line_color: '#dddddd',
      major_label_text_color: { value: '#dddddd' }
    });
    const label = { type: 'Text', properties: { background_fill_color: 0 } };
    expect(darkValues(label)).toMatchObject({ background_fill_color: { value: '#111111' } });
  });
});

describe('an arrangement', () => {
  it('makes all columns before it divides them', () => {
    const made: [string, IPlace][] = [];
    const views = arrange([['a', 'b', 'c'], [], ['d', 'e']], { ref: 'notebook' }, (page, place) => {
      made.push([page, place]);
      const widget = new Widget();
      widget.id = page;
      return widget;
    });
    expect(made).toEqual([
      ['a', { ref: 'notebook' }],
      ['d', { mode: 'split-right', ref: 'a' }],
      ['b', { mode: 'split-bottom', ref: 'a' }],
      ['c', { mode: 'split-bottom', ref: 'b' }],
      ['e', { mode: 'split-bottom', ref: 'd' }]
    ]);
    expect(views.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('a tab', () => {
  const old = cluster({ id: 'old', state: 'stopped', dashboard_path: null });
  const heir = cluster({ id: 'new' });

  it('belongs to its own cluster while that lives, then to the next one of its name', () => {
    const subject = { id: 'old', name: 'blue' };
    expect(attachedCluster(managerOf(heir, cluster({ id: 'old' })), subject)?.id).toBe('old');
    expect(attachedCluster(managerOf(heir, old), subject)?.id).toBe('new');
    expect(attachedCluster(managerOf(heir), subject)?.id).toBe('new');
    expect(attachedCluster(managerOf(old), subject)?.id).toBe('old');
    expect(attachedCluster(managerOf(cluster({ id: 'x', name: 'red' })), subject)).toBeUndefined();
  });

  it('says why there is nothing to see', () => {
    const say = (model?: ClusterModel) => waitingSentence(managerOf(), model, 'blue');
    expect(say(heir)).toBeNull();
    expect(say(old)).toContain('has stopped');
    expect(say(undefined)).toContain('has stopped');
    expect(say(cluster({ state: 'failed' }))).toContain('has failed');
    expect(say(cluster({ state: 'starting', dashboard_path: null }))).toContain('is starting');
    expect(say(cluster({ state: 'stopping' }))).toContain('is stopping');
    const lost = { ...managerOf(), isReady: false, connection: 'lost' } as IClusterManager;
    expect(waitingSentence(lost, undefined, 'blue')).toContain('not responding');
  });
});
