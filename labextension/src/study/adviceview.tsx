import { h } from '../jsx';
import type { IAdvicePayload } from './payload';
import { OpenLink, Sentence } from './outputcontext';
import { trans } from '../translation';

/** Which topics to look at again, why, and where. */
export function AdviceView({ payload }: { readonly payload: IAdvicePayload }): JSX.Element {
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
