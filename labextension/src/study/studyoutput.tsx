import { renderHTML, renderText, type IRenderMime } from '@jupyterlab/rendermime';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { createRoot, type Root } from 'react-dom/client';

import { trans } from '../translation';
import { CardsView } from './cardsview';
import { PredictionView, ReportView } from './figureviews';
import { h } from '../jsx';
import { LESSON_MIME, readPayload, type LessonPayload, type IAdvicePayload } from './payload';
import { OpenLink, Sentence, OutputContextProvider, type IOutputContext } from './outputcontext';
import { CheckView } from './checkview';
import { ExamView, PracticeView } from './quizview';
import { ParsonsView } from './parsonsview';

/** Which topics to look at again, why, and where. */
function AdviceView({ payload }: { readonly payload: IAdvicePayload }): JSX.Element {
  if (payload.items.length === 0) {
    return (
      <p className="gpc-Study">
        {trans.__('No weak topics found. Continue with the next lesson.')}
      </p>
    );
  }
  return (
    <section className="gpc-Study gpc-Advice" aria-label={trans.__('Review')}>
      <ol>
        {payload.items.map(item => (
          <li key={item.link + item.title}>
            <h4>
              <OpenLink link={item.link} isPlainElsewhere>
                {item.title}
              </OpenLink>
            </h4>
            <p>
              <Sentence text={item.why} />
            </p>
            <div className="gpc-Study-buttons">
              {item.exercise !== null && (
                <OpenLink link={item.exercise}>
                  {trans.__('Exercise: %1', item.exerciseTitle ?? item.exercise)}
                </OpenLink>
              )}
              {item.cards.length > 0 && (
                <span className="gpc-Study-quiet">
                  {trans._n('%1 card', '%1 cards', item.cards.length)}
                </span>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/**
 * An output of a lesson. What a learner has chosen in it lives as long as the output does, even while it is
 * scrolled out of the page.
 */
export class StudyOutput extends Widget implements IRenderMime.IRenderer {
  constructor(options: StudyOutput.IOptions) {
    super();
    const { ask, ...context } = options;
    this._context = {
      ...context,
      evaluate: ask === null ? null : expression => ask(this.node, expression)
    };
    this.addClass('gpc-StudyOutput');
    this.node.addEventListener('focusin', this);
  }

  /**
   * Keys belong to the quiz here: in a notebook, arrows would otherwise go to the next cell. The notebook's shortcuts
   * hold for whatever has the focus, so that is what must carry the mark, not this node.
   */
  handleEvent(event: Event): void {
    if (event.type === 'focusin') {
      (event.target as Element).setAttribute('data-lm-suppress-shortcuts', 'true');
    }
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const content = model.data[LESSON_MIME];
    const shown = JSON.stringify(content) ?? '';
    if (shown === this._shown) {
      return;
    }
    this._shown = shown;
    const payload = readPayload(content);
    if (payload === null) {
      this._clear();
      await this._renderFallback(model);
      return;
    }
    if (this._root === null) {
      this.node.replaceChildren();
      this._root = createRoot(this.node);
    }
    this._version += 1;
    this._root.render(
      <OutputContextProvider value={this._context} key={this._version}>
        {viewOf(payload)}
      </OutputContextProvider>
    );
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.node.removeEventListener('focusin', this);
      this._clear();
      super.dispose();
    }
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    if (this.node.contains(document.activeElement)) {
      (document.activeElement as HTMLElement).blur();
    }
  }

  /** What another version left, as every other page shows it. */
  private async _renderFallback(model: IRenderMime.IMimeModel): Promise<void> {
    const { sanitizer, resolver, linkHandler, latexTypesetter, translator } =
      this._context.rendering;
    const html = model.data['text/html'];
    const plain = model.data['text/plain'];
    if (typeof html === 'string') {
      this.addClass('jp-RenderedHTMLCommon');
      await renderHTML({
        host: this.node,
        source: html,
        trusted: false,
        sanitizer,
        resolver,
        linkHandler,
        shouldTypeset: true,
        latexTypesetter,
        translator
      });
    } else {
      const source = typeof plain === 'string' ? plain : '';
      await renderText({ host: this.node, source, sanitizer, translator });
    }
  }

  private _clear(): void {
    this._root?.unmount();
    this._root = null;
    this.removeClass('jp-RenderedHTMLCommon');
  }

  private readonly _context: IOutputContext;
  private _root: Root | null = null;
  private _shown: string | null = null;
  private _version = 0;
}

export namespace StudyOutput {
  export interface IOptions extends Omit<IOutputContext, 'evaluate'> {
    /** Evaluate an expression in the kernel of the notebook that a node is in. */
    ask: ((node: Node, expression: string) => Promise<string>) | null;
  }
}

function viewOf(payload: LessonPayload): JSX.Element {
  switch (payload.kind) {
    case 'quiz':
      return payload.mode === 'exam' ? (
        <ExamView payload={payload} />
      ) : (
        <PracticeView payload={payload} />
      );
    case 'cards':
      return <CardsView payload={payload} />;
    case 'parsons':
      return <ParsonsView payload={payload} />;
    case 'advice':
      return <AdviceView payload={payload} />;
    case 'check':
      return <CheckView payload={payload} />;
    case 'prediction':
      return <PredictionView payload={payload} />;
    case 'report':
      return <ReportView payload={payload} />;
  }
}
