import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { SplitPanel, TabPanel, type Widget } from '@lumino/widgets';

/** Of the window's height or width, for what opens below or beside a notebook. */
const SHARE = 0.45;
/** With less than that, nothing of a view can be seen but its tab. */
const LEAST_SHARE = 0.2;

/** Where a view opens: in JupyterLab among the tabs, in Notebook 7 below the notebook, or beside it before 7.4. */
export interface IShells {
  app: JupyterFrontEnd;
  /** Null in Notebook 7, whose main area holds the notebook and nothing else. */
  labShell: ILabShell | null;
}

/** Add a view to the page. */
export function addView(
  { app, labShell }: IShells,
  view: Widget,
  place: DocumentRegistry.IOpenOptions = {}
): void {
  if (labShell !== null) {
    app.shell.add(view, 'main', place);
    return;
  }
  app.shell.add(view, 'down', place);
  if (view.parent === null) {
    // Before 7.4 there is no such area, which is only a warning on the console.
    app.shell.add(view, 'right', place);
  }
  makeRoom(view);
}

/** Bring a view that is there to the front, with room to be seen. */
export function activateView({ app, labShell }: IShells, view: Widget): void {
  app.shell.activateById(view.id);
  if (labShell === null) {
    bringToFront(view);
    makeRoom(view);
  }
}

/** Notebook 7 shows the area below the notebook, but not the tab in it. */
function bringToFront(view: Widget): void {
  const tabs = view.parent?.parent;
  if (tabs instanceof TabPanel) {
    tabs.currentWidget = view;
  }
}

/** Notebook 7 gives what opens below the notebook the height of its tab. */
function makeRoom(view: Widget): void {
  let child = view;
  while (child.parent !== null) {
    const { parent } = child;
    if (parent instanceof SplitPanel) {
      const sizes = parent.relativeSizes();
      const place = parent.widgets.indexOf(child);
      if (sizes[place] < LEAST_SHARE) {
        const others = 1 - sizes[place];
        parent.setRelativeSizes(
          sizes.map((size, i) => (i === place ? SHARE : (size / others) * (1 - SHARE)))
        );
      }
      return;
    }
    child = parent;
  }
}
