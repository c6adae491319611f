import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { profiledSource } from '../../labextension/src/actions/cellcode';
import { NotebooksInSight } from '../../labextension/src/actions/notebooks';

it('a cell is profiled once, whatever it says', () => {
  expect(profiledSource('x = 1')).toBe('%%gpucluster profile\nx = 1');
  expect(profiledSource('%%gpucluster  profile --quiet\nx')).toBe(
    '%%gpucluster  profile --quiet\nx'
  );
  expect(profiledSource('%%gpucluster profiles')).toContain('%%gpucluster profile\n');
});

describe('the notebook that is meant', () => {
  /** A tracker of notebooks, of which some are covered by other tabs. */
  function tracker(...names: string[]) {
    const panels = new Map(names.map(name => [name, { id: name, isVisible: true }]));
    const currentChanged = new Signal<object, unknown>({});
    const state = {
      currentChanged,
      currentWidget: null as unknown,
      forEach: (see: (panel: unknown) => void) => panels.forEach(see)
    };
    const inSight = new NotebooksInSight(state as unknown as INotebookTracker);
    return {
      inSight,
      cover: (name: string) => Object.assign(panels.get(name)!, { isVisible: false }),
      focus: (name: string) => {
        state.currentWidget = panels.get(name);
        currentChanged.emit(state.currentWidget);
      },
      meant: (): string | undefined => (inSight.last() as NotebookPanel | null)?.id
    };
  }

  it('is the one that had the focus last, of those in view', () => {
    const { focus, cover, meant, inSight } = tracker('a', 'b', 'c');
    focus('b');
    focus('a');
    focus('c');
    expect(meant()).toBe('c');
    cover('c');
    expect(meant()).toBe('a');
    cover('a');
    expect(meant()).toBe('b');
    cover('b');
    expect(meant()).toBeUndefined();
    expect(inSight.open().map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  it('is none where there are no notebooks', () => {
    expect(new NotebooksInSight(null).last()).toBeNull();
    expect(tracker().meant()).toBeUndefined();
  });
});
