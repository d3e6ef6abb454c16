import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isPassing } from './api/problem.js';
import { router } from './router.js';
import './tokens.css';

const RETRIES = 20;
const MAX_RETRY_MS = 5_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < RETRIES && isPassing(error),
      retryDelay: (failures) => Math.min(500 * 2 ** failures, MAX_RETRY_MS),
      staleTime: 30_000,
    },
  },
});

// After an update the old page asks for files that are gone: the new page has the new ones.
window.addEventListener('vite:preloadError', () => window.location.reload());

const place = document.getElementById('app');
if (!place) throw new Error('index.html has no place for the console');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
