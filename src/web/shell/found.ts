import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { api, bodyOf } from '../api/client.js';
import { useComputers } from '../api/computers.js';
import { type Command, matches } from './Palette.js';

const MIN_LETTERS = 2;
const OF_EACH = 5;

/** People, sessions, computers and repositories with these words; nothing before the second letter. */
export function useFound(role: string, text: string): Command[] {
  const navigate = useNavigate();
  const words = text.trim();
  const isAsked = words.length >= MIN_LETTERS;
  const isLeading = role === 'owner' || role === 'manager';
  const isWorking = isLeading || role === 'member';
  const people = useQuery({
    // Unlike the fields in which a person is chosen, it also finds those who left.
    queryKey: ['members', 'palette', words],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/organization/members', { params: { query: { search: words, limit: OF_EACH } }, signal })),
    enabled: isAsked && isLeading,
    placeholderData: keepPreviousData,
  });
  const sessions = useQuery({
    queryKey: ['sessions', 'found', words],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/sessions/search', { params: { query: { q: words, limit: OF_EACH } }, signal })),
    enabled: isAsked && isWorking,
    placeholderData: keepPreviousData,
  });
  const computers = useComputers({ isEnabled: isAsked && isWorking });
  const repositories = useQuery({
    queryKey: ['readiness', 'found'],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/organization/readiness/repositories', { params: { query: { limit: 100 } }, signal })),
    enabled: isAsked && isWorking,
  });
  if (!isAsked) return [];
  const go = (kind: string, name: string, to: NavigateOptions): Command => ({
    kind,
    name,
    run: () => void navigate(to),
  });
  const machines = (computers.data ?? []).filter(({ name }) => matches(name, words)).slice(0, OF_EACH);
  const evaluated = (repositories.data?.repositories ?? [])
    .filter(({ repoId }) => matches(repoId, words))
    .slice(0, OF_EACH);
  return [
    ...(people.data?.members ?? []).map(({ id, email }) =>
      go('Person', email, { to: '/people/$userId', params: { userId: id } }),
    ),
    ...(sessions.data?.results ?? []).map((hit) =>
      go('Session', `${hit.title ?? 'Untitled'}: ${hit.snippet}`, {
        to: '/sessions/$sessionId',
        params: { sessionId: hit.sessionId },
        hash: `m-${hit.messageId}`,
      }),
    ),
    ...machines.map(({ id, name }) => go('Computer', name, { to: '/computers', search: { computer: id } })),
    ...evaluated.map(({ repoId, reportId }) =>
      go('Repository', repoId, { to: '/readiness/reports/$reportId', params: { reportId } }),
    ),
  ];
}
