# Build: everything, compiled.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json ./sdk/
RUN npm ci
COPY . .
RUN npm run build

# Dependencies of the running service only.
FROM node:24.21.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json ./sdk/
RUN npm ci --omit=dev

FROM node:24.21.0-trixie-slim
WORKDIR /app
ENV NODE_ENV=production \
    SERVICE_STORAGE_DIR=/data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/protos/gen ./protos/gen
COPY --from=build /app/gateway/discovery/ui ./gateway/discovery/ui
COPY --from=build /app/actors/connectors/catalogue ./actors/connectors/catalogue
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 50051 50052 9090
# Probes use the metrics listener: it answers to any Host.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9090/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/service.js"]
CMD ["start"]
