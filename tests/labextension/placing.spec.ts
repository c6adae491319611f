import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { SplitPanel, TabPanel, Widget } from '@lumino/widgets';

import { activateView, addView } from '../../labextension/src/shell/placing';

/** A page like that of Notebook 7: the notebook, and below it tabs that are as high as they were left. */
class Page {
  constructor(share: number) {
    this.split = new SplitPanel({ orientation: 'vertical' });
    this.below = new TabPanel();
    this.split.addWidget(new Widget());
    this.split.addWidget(this.below);
    Widget.attach(this.split, document.body);
    this.split.setRelativeSizes([1 - share, share]);
  }

  readonly split: SplitPanel;
  readonly below: TabPanel;
  readonly added: [string, string, unknown][] = [];
  readonly activated: string[] = [];

  readonly app = {
    shell: {
      add: (view: Widget, area: string, place: unknown) => {
        this.added.push([view.id, area, place]);
        this.below.addWidget(view);
      },
      activateById: (id: string) => this.activated.push(id)
    }
  } as unknown as JupyterFrontEnd;
}

function view(): Widget {
  const made = new Widget();
  made.id = 'a-view';
  return made;
}

function shares(page: Page): number[] {
  return page.split.relativeSizes().map(share => Math.round(share * 100));
}

describe('placing', () => {
  it('opens views among the tabs of JupyterLab', () => {
    const page = new Page(0.01);
    const shells = { app: page.app, labShell: {} as ILabShell };
    const opened = view();
    addView(shells, opened, { mode: 'split-right' });
    activateView(shells, opened);
    expect(page.added).toEqual([['a-view', 'main', { mode: 'split-right' }]]);
    expect(page.activated).toEqual(['a-view']);
    expect(shares(page)).toEqual([99, 1]);
  });

  it.each([
    [0.03, [55, 45]],
    [0.3, [70, 30]]
  ])('opens views below the notebook of Notebook 7, with room: %d', (share, expected) => {
    const page = new Page(share);
    const shells = { app: page.app, labShell: null };
    const opened = view();
    addView(shells, opened);
    expect(page.added).toEqual([['a-view', 'down', {}]]);
    expect(shares(page)).toEqual(expected);
    // Somebody has made it small; who asks for it again wants to see it.
    page.split.setRelativeSizes([0.98, 0.02]);
    activateView(shells, opened);
    expect(page.activated).toEqual(['a-view']);
    expect(shares(page)).toEqual([55, 45]);
  });

  it('brings the view that is asked for to the front of those below the notebook', () => {
    const page = new Page(0.3);
    const shells = { app: page.app, labShell: null };
    const views = ['log', 'dashboard', 'activity'].map(id => {
      const made = new Widget();
      made.id = id;
      addView(shells, made);
      activateView(shells, made);
      expect(page.below.currentWidget).toBe(made);
      return made;
    });
    activateView(shells, views[0]);
    expect(page.below.currentWidget).toBe(views[0]);
  });

  it('opens views beside the notebook where Notebook has no place below it', () => {
    const split = new SplitPanel({ orientation: 'horizontal' });
    split.addWidget(new Widget());
    Widget.attach(split, document.body);
    const add = (view: Widget, area: string): void => {
      if (area === 'right') {
        split.addWidget(view);
        split.setRelativeSizes([0.9, 0.1]);
      }
    };
    const app = { shell: { add, activateById: () => undefined } } as unknown as JupyterFrontEnd;
    const opened = view();
    addView({ app, labShell: null }, opened);
    expect(split.widgets).toContain(opened);
    expect(Math.round(split.relativeSizes()[1] * 100)).toBe(45);
  });

  it('leaves a page alone that has another form', () => {
    const opened = view();
    const app = { shell: { activateById: () => undefined } } as unknown as JupyterFrontEnd;
    activateView({ app, labShell: null }, opened);
    expect(opened.parent).toBeNull();
  });
});
