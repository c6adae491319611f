import { trans } from '../translation';
import { own, type ICard, type ICardsPayload } from './payload';
import { Fragment, h, useEffect, useRef, useState } from '../jsx';
import { Markdown, OpenLink, useOutputContext } from './outputcontext';

/** Cards to turn, one at a time; one that was not known comes again in the same round. */
export function CardsView({ payload }: { readonly payload: ICardsPayload }): JSX.Element {
  const { report } = useOutputContext();
  const { title, cards } = payload;
  const [waiting, setWaiting] = useState<readonly ICard[]>(cards);
  const [unknown, setUnknown] = useState<ReadonlySet<string>>(new Set());
  const [isTurned, setTurned] = useState(false);
  const [news, setNews] = useState('');
  const turn = useRef<HTMLButtonElement>(null);
  const known = useRef<HTMLButtonElement>(null);
  // The first card does not draw the focus into the output; those after it keep it there.
  const hasBegun = useRef(false);
  const card: ICard | undefined = waiting[0];

  useEffect(() => {
    if (hasBegun.current) {
      (isTurned ? known : turn).current?.focus();
    }
  }, [isTurned, waiting]);

  const say = (isKnown: boolean): void => {
    if (card === undefined) {
      return;
    }
    const { id } = card;
    const isFirst = !unknown.has(id);
    setTurned(false);
    setWaiting(before => (isKnown ? before.slice(1) : [...before.slice(1), card]));
    setNews(isKnown ? trans.__('Known.') : trans.__('You will see it again in this round.'));
    if (!isKnown) {
      setUnknown(before => new Set([...before, id]));
    }
    // What was not known at once is not known, however the round goes on.
    if (isFirst) {
      void report([{ kind: 'card', id, known: isKnown }]).then(noted => {
        const due = noted === null ? undefined : own(noted.due, id);
        if (due !== undefined && isKnown) {
          setNews(trans.__('Known. %1', dueWords(due)));
        }
      });
    }
  };
  const restart = (): void => {
    hasBegun.current = true;
    setWaiting(cards);
    setUnknown(new Set());
    setNews('');
  };
  return (
    <section className="gpc-Study gpc-Cards" aria-label={title}>
      <header className="gpc-Study-header">
        <h3>{title}</h3>
        <span>{trans.__('%1 of %2 done', cards.length - waiting.length, cards.length)}</span>
      </header>
      {card === undefined ? (
        <div className="gpc-Card gpc-mod-end">
          <p>
            {cards.length === 0
              ? trans.__('No cards.')
              : trans.__(
                  'You knew %1 of %2 immediately.',
                  cards.length - unknown.size,
                  cards.length
                )}
          </p>
          {cards.length > 0 && (
            <button ref={turn} className="gpc-Button" onClick={restart}>
              {trans.__('Again')}
            </button>
          )}
        </div>
      ) : (
        <div className="gpc-Card" data-turned={isTurned} key={`${card.id}-${waiting.length}`}>
          {card.name !== null && <p className="gpc-Card-name">{card.name}</p>}
          <Markdown source={card.front} className="gpc-Card-front" />
          {isTurned && (
            <div className="gpc-Card-back" role="status">
              <Markdown source={card.back} />
            </div>
          )}
          <div className="gpc-Study-buttons">
            {isTurned ? (
              <>
                <button ref={known} className="gpc-Button gpc-mod-accept" onClick={() => say(true)}>
                  {trans.__('I knew it')}
                </button>
                <button className="gpc-Button" onClick={() => say(false)}>
                  {trans.__('Not yet')}
                </button>
                <OpenLink link={card.link}>{trans.__('Covered in: %1', card.link)}</OpenLink>
              </>
            ) : (
              <button
                ref={turn}
                className="gpc-Button gpc-mod-accept"
                onClick={() => {
                  hasBegun.current = true;
                  setTurned(true);
                  setNews('');
                }}
              >
                {trans.__('Flip the card')}
              </button>
            )}
          </div>
        </div>
      )}
      <p role="status" className="gpc-Study-quiet gpc-Cards-news">
        {news}
      </p>
    </section>
  );
}

function dueWords(due: string): string {
  const days = Math.round((Date.parse(`${due}T12:00`) - Date.now()) / 86_400_000);
  return days <= 1 ? trans.__('Due again tomorrow.') : trans.__('Due again in %1 days.', days);
}
