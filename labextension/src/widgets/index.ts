/**
 * The views of the notebook widgets: an ES module for anywidget, on its own in any page that shows widgets.
 *
 * Nothing of JupyterLab is imported here, and nothing is loaded later.
 */
import { CardFace } from './cardface';
import { DashboardFace } from './dashboardface';
import type { IFace } from './face';
import { GaugesFace } from './gaugesface';
import { textOf, type IWidgetModel } from './model';
import { RecordingView } from './recordingview';
import { ViewSession } from './session';

function faceOf(model: IWidgetModel): IFace {
  switch (textOf(model, 'view')) {
    case 'card':
      return new CardFace(model);
    case 'dashboard':
      return new DashboardFace(model);
    default:
      return new GaugesFace(model);
  }
}

function render({ model, el }: { model: IWidgetModel; el: HTMLElement }): () => void {
  const view =
    textOf(model, 'view') === 'recording'
      ? new RecordingView(model, el)
      : new ViewSession(model, el, faceOf(model));
  return () => {
    view.dispose();
  };
}

export default { render };
