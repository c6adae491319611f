/**
 * The views of the notebook widgets: an ES module for anywidget, on its own in any page that shows widgets.
 *
 * Nothing of JupyterLab is imported here, and nothing is loaded later.
 */
import { CardView, GaugesView } from './cardview';
import { PageView } from './pageview';
import { type IWidgetView, textOf, type IWidgetModel } from './model';
import { RecordingView } from './recordingview';
import { ViewSession } from './session';

function viewOf(model: IWidgetModel): IWidgetView {
  switch (textOf(model, 'view')) {
    case 'card':
      return new CardView(model);
    case 'dashboard':
      return new PageView(model);
    default:
      return new GaugesView(model);
  }
}

function render({ model, el }: { model: IWidgetModel; el: HTMLElement }): () => void {
  const view =
    textOf(model, 'view') === 'recording'
      ? new RecordingView(model, el)
      : new ViewSession(model, el, viewOf(model));
  return () => {
    view.dispose();
  };
}

export { showSharedView } from './sharedview';
export default { render };
