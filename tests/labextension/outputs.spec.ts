import {
  MimeModel,
  RenderMimeRegistry,
  standardRendererFactories,
  type IRenderMime
} from '@jupyterlab/rendermime';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { outputsPlugin, ClusterOutput } from '../../labextension/src/outputs';
import { GONE_EVENT, PICTURE_EVENT, VIEW_EVENT } from '../../labextension/src/widgets/output';

const WIDGET_MIME = 'application/vnd.jupyter.widget-view+json';

/** What the widget manager makes: a view, when there is one. */
class FakeView extends Widget implements IRenderMime.IRenderer {
  static made: FakeView[] = [];
  rendered = 0;

  constructor() {
    super();
    FakeView.made.push(this);
  }

  renderModel(): Promise<void> {
    this.rendered += 1;
    this.node.textContent = 'Error displaying widget: model not found';
    return Promise.resolve();
  }

  appear(): HTMLElement {
    const el = document.createElement('div');
    el.textContent = 'live';
    this.node.replaceChildren(el);
    return el;
  }
}

function outputOf(html: string, id: string | null): MimeModel {
  const model: MimeModel = new MimeModel({
    trusted: true,
    data: {
      'text/html': html,
      'text/plain': 'x',
      ...(id === null ? {} : { [WIDGET_MIME]: { model_id: id } })
    },
    callback: options => {
      kept.push(options.data as Record<string, unknown>);
    }
  });
  return model;
}

let kept: Record<string, unknown>[];

describe('outputs', () => {
  let rendermime: RenderMimeRegistry;
  let output: ClusterOutput;

  function withWidgets(): void {
    rendermime.addFactory({
      safe: false,
      mimeTypes: [WIDGET_MIME],
      createRenderer: () => new FakeView()
    });
  }

  function seen(): string {
    return Array.from(output.node.children)
      .filter(node => !node.classList.contains('lm-mod-hidden'))
      .map(node => node.textContent)
      .join('');
  }

  beforeEach(() => {
    kept = [];
    FakeView.made = [];
    rendermime = new RenderMimeRegistry({ initialFactories: standardRendererFactories });
    output = new ClusterOutput(rendermime);
    Widget.attach(output, document.body);
  });

  afterEach(() => {
    output.dispose();
  });

  it('show the picture while there is no view', async () => {
    withWidgets();
    await output.renderModel(outputOf('<b>still</b>', 'm1'));
    expect(FakeView.made).toHaveLength(1);
    expect(seen()).toBe('still');
  });

  it('show the view once it says that it is there, and the picture when it is gone', async () => {
    withWidgets();
    await output.renderModel(outputOf('<b>still</b>', 'm1'));
    const el = FakeView.made[0].appear();
    const event = new CustomEvent(VIEW_EVENT, { bubbles: true, cancelable: true });
    expect(el.dispatchEvent(event)).toBe(false);
    expect(seen()).toBe('live');
    // New content: the view stays as it is, even when the output has a picture only.
    await output.renderModel(outputOf('<b>later</b>', 'm1'));
    await output.renderModel(outputOf('<b>last</b>', null));
    expect(FakeView.made[0].rendered).toBe(1);
    expect(seen()).toBe('live');
    el.remove();
    el.dispatchEvent(new CustomEvent(GONE_EVENT));
    expect(seen()).toBe('last');
  });

  it('keep the pictures that views send', async () => {
    withWidgets();
    await output.renderModel(outputOf('<b>still</b>', 'm1'));
    const el = FakeView.made[0].appear();
    const send = (detail: unknown): boolean =>
      el.dispatchEvent(new CustomEvent(PICTURE_EVENT, { bubbles: true, detail }));
    send({ html: '<b>still</b>', text: 'x' });
    send({ html: 7, text: 'x' });
    send(null);
    expect(kept).toEqual([]);
    send({ html: '<b>new</b>', text: 'new' });
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({ 'text/html': '<b>new</b>', 'text/plain': 'new' });
    expect(kept[0][WIDGET_MIME]).toEqual({ model_id: 'm1' });
  });

  it('make a view when what makes views comes late', async () => {
    await output.renderModel(outputOf('<b>still</b>', 'm1'));
    output.retry();
    expect(FakeView.made).toHaveLength(0);
    withWidgets();
    output.retry();
    output.retry();
    expect(FakeView.made).toHaveLength(1);
  });

  it('make another view for another widget', async () => {
    withWidgets();
    await output.renderModel(outputOf('<b>one</b>', 'm1'));
    await output.renderModel(outputOf('<b>two</b>', 'm2'));
    expect(FakeView.made).toHaveLength(2);
    expect(FakeView.made[0].isDisposed).toBe(true);
    expect(seen()).toBe('two');
  });

  it('are live in trusted notebooks only', () => {
    let extension: { createNew(panel: unknown): unknown } | null = null;
    void outputsPlugin.activate({
      docRegistry: {
        addWidgetExtension: (_: string, added: typeof extension) => {
          extension = added;
        }
      }
    } as never);
    const sessionContext = {};
    Object.assign(sessionContext, { statusChanged: new Signal(sessionContext) });
    const disposed = new Signal({});
    extension!.createNew({ content: { rendermime }, disposed, sessionContext });
    const data = {
      'application/vnd.gpucluster.output+json': {},
      [WIDGET_MIME]: { model_id: 'm1' },
      'text/html': '<b>still</b>'
    };
    // As cells ask: outputs that the person has not made must be safe.
    expect(rendermime.preferredMimeType(data, 'any')).toBe(
      'application/vnd.gpucluster.output+json'
    );
    expect(rendermime.preferredMimeType(data, 'ensure')).toBe('text/html');
  });
});
