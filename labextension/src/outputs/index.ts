import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Panel, type Widget } from '@lumino/widgets';

import { GONE_EVENT, PICTURE_EVENT, VIEW_EVENT, pictureOf } from '../widgets/output';

/** Stands beside the widget in the outputs of our widgets. */
const OUTPUT_MIME = 'application/vnd.gpucluster.output+json';
/** Before the widget manager's own, which is -10. */
const RANK = -20;

/** Lets outputs of our widgets show their picture wherever there is no live view. */
export const outputsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:outputs',
  description: 'Shows saved clusters.',
  autoStart: true,
  activate: app => {
    app.docRegistry.addWidgetExtension('Notebook', {
      createNew: panel => followOutputs(panel as NotebookPanel)
    });
  }
};

function followOutputs(panel: NotebookPanel): void {
  const { rendermime } = panel.content;
  const outputs = new Set<ClusterOutput>();
  const retry = (): void => {
    for (const output of outputs) {
      output.retry();
    }
  };
  rendermime.addFactory(
    {
      safe: false,
      mimeTypes: [OUTPUT_MIME],
      createRenderer: () => {
        const output = new ClusterOutput(rendermime);
        outputs.add(output);
        output.disposed.connect(() => outputs.delete(output));
        return output;
      }
    },
    RANK
  );
  // The widget manager of a notebook comes with its kernel.
  const { statusChanged } = panel.sessionContext;
  statusChanged.connect(retry);
  panel.disposed.connect(() => statusChanged.disconnect(retry));
}

type RenderMime = NotebookPanel['content']['rendermime'];
type Renderer = ReturnType<RenderMime['createRenderer']>;
type MimeModel = Parameters<Renderer['renderModel']>[0];

const HTML_MIME = 'text/html';
const TEXT_MIME = 'text/plain';
const WIDGET_MIME = 'application/vnd.jupyter.widget-view+json';

/**
 * An output of ours: the live view while there is one, else the picture that is saved with the notebook.
 *
 * The widget manager alone would show "model not found" wherever the kernel is gone.
 */
export class ClusterOutput extends Panel {
  constructor(private readonly _rendermime: RenderMime) {
    super();
    this.addClass('gpc-ClusterOutput');
    this._picture = _rendermime.createRenderer(HTML_MIME);
    this.addWidget(this._picture);
    this.node.addEventListener(VIEW_EVENT, this);
    this.node.addEventListener(PICTURE_EVENT, this);
  }

  /** Draw an output, or draw its new content. A view that is live stays as it is. */
  async renderModel(model: MimeModel): Promise<void> {
    this._model = model;
    const view = model.data[WIDGET_MIME] as { model_id?: unknown } | undefined;
    const id = typeof view?.model_id === 'string' ? view.model_id : '';
    if (id !== '' && id !== this._viewId) {
      this._viewId = id;
      this._makeView(model);
    }
    await this._picture.renderModel(model);
  }

  /** Try again to get a live view: what makes them may have come meanwhile. */
  retry(): void {
    const isNew = this._maker !== this._rendermime.getFactory(WIDGET_MIME);
    if (isNew && !this._isLive && this._viewId !== '' && this._model !== null) {
      this._makeView(this._model);
    }
  }

  handleEvent(event: Event): void {
    if (event.type === VIEW_EVENT) {
      event.preventDefault();
      event.target?.addEventListener(GONE_EVENT, () => this._setLive(false), { once: true });
      this._setLive(true);
    } else if (event.type === PICTURE_EVENT) {
      this._keep(pictureOf((event as CustomEvent<unknown>).detail));
    }
  }

  override dispose(): void {
    this.node.removeEventListener(VIEW_EVENT, this);
    this.node.removeEventListener(PICTURE_EVENT, this);
    super.dispose();
  }

  private _makeView(model: MimeModel): void {
    this._view?.dispose();
    this._view = null;
    this._setLive(false);
    this._maker = this._rendermime.getFactory(WIDGET_MIME);
    if (this._maker === undefined) {
      return; // No widgets in this JupyterLab: the picture it is.
    }
    const view = this._rendermime.createRenderer(WIDGET_MIME);
    this._view = view;
    // It shows its own errors until a view is there.
    view.hide();
    this.addWidget(view);
    view.renderModel(model).catch((reason: unknown) => {
      console.error('A view of a cluster could not be created.', reason);
    });
  }

  private _setLive(isLive: boolean): void {
    this._isLive = isLive;
    this._picture.setHidden(isLive);
    this._view?.setHidden(!isLive);
  }

  /** Put a new picture into the notebook. */
  private _keep(picture: ReturnType<typeof pictureOf>): void {
    const model = this._model;
    if (model !== null && picture !== null && model.data[HTML_MIME] !== picture.html) {
      model.setData({
        data: { ...model.data, [HTML_MIME]: picture.html, [TEXT_MIME]: picture.text }
      });
    }
  }

  private readonly _picture: Renderer;
  private _view: (Renderer & Widget) | null = null;
  private _maker: unknown = undefined;
  private _model: MimeModel | null = null;
  private _viewId = '';
  private _isLive = false;
}
