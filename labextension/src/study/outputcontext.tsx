import type { IRenderMime } from '@jupyterlab/rendermime';
import { renderMarkdown } from '@jupyterlab/rendermime';
import type { ReactNode } from 'react';

import { createContext, Fragment, h, useContext, useEffect, useRef } from '../jsx';
import type { EventsNoted, LessonEvents } from '../protocol/messages';

export type StudyEvent = LessonEvents['events'][number];

/** What an output of a lesson can use besides its own content. */
export interface IOutputContext {
  readonly rendering: IRenderMime.IRendererOptions;
  /** Tell the server what was answered; null where there is none, or it does not want to know. */
  readonly report: (events: StudyEvent[]) => Promise<EventsNoted | null>;
  /** Go to a lesson, an exercise or a cell; null where that is not possible. */
  readonly open: ((link: string) => void) | null;
  /** Ask the kernel of the notebook that the output is in; null where outputs have none. */
  readonly evaluate: ((expression: string) => Promise<string>) | null;
}

const OutputContext = createContext({} as IOutputContext);
export const OutputContextProvider = OutputContext.Provider;

export function useOutputContext(): IOutputContext {
  return useContext(OutputContext);
}

interface IMarkdownProps {
  readonly source: string;
  readonly className?: string;
}

/** Markdown and formulas, by JupyterLab's own means; never trusted. */
export function Markdown({ source, className }: IMarkdownProps): JSX.Element {
  const { rendering } = useOutputContext();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const node = host.current;
    if (node === null) {
      return;
    }
    renderMarkdown({
      host: node,
      source,
      trusted: false,
      sanitizer: rendering.sanitizer,
      resolver: rendering.resolver,
      linkHandler: rendering.linkHandler,
      shouldTypeset: true,
      latexTypesetter: rendering.latexTypesetter,
      markdownParser: rendering.markdownParser ?? null,
      translator: rendering.translator
    }).catch(() => {
      node.textContent = source;
    });
  }, [rendering, source]);
  return (
    <div ref={host} className={`gpc-Markdown jp-RenderedHTMLCommon ${className ?? ''}`.trim()} />
  );
}

/** A sentence in which what stands between backticks is code. */
export function Sentence({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text
        .split('`')
        .map((part, place) =>
          place % 2 === 1 ? <code key={place}>{part}</code> : <span key={place}>{part}</span>
        )}
    </>
  );
}

/** Leads to the cell where something is taught; nothing where it cannot be opened. */
export function OpenLink(props: {
  readonly link: string;
  readonly children: ReactNode;
  /** Whether the words stand there without a link where it cannot be opened. */
  readonly isPlainElsewhere?: boolean;
}): JSX.Element | null {
  const { open } = useOutputContext();
  if (open === null) {
    return props.isPlainElsewhere === true ? <>{props.children}</> : null;
  }
  return (
    <button className="gpc-OpenLink" onClick={() => open(props.link)}>
      {props.children}
    </button>
  );
}
