import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(__dirname, "../../../../..");

/** Programs that mean something: the examples of the language guide and reference, and the collected cases where they are at hand. */
export function corpus(): string[] {
  return [...documented(), ...LONGER, ...collected()];
}

function documented(): string[] {
  const pages = ["docs/ptc-lisp.md", "docs/reference/lisp.md"];
  const text = pages.map((page) => readFileSync(path.join(root, page), "utf8")).join("\n");
  const blocks = [...text.matchAll(/```clojure\n(.*?)```/gs)].map((match) => match[1] as string);
  const lines = blocks.flatMap((block) => block.split("\n").map((line) => line.replace(/ ;(=>|!!).*/, "")));
  return [...blocks, ...lines].filter((one) => one.trim() !== "");
}

function collected(): string[] {
  const file = path.join(root, "../shared/data/ptc-lisp-cases.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => (JSON.parse(line) as { program: string }).program);
}

/** What missions look like: longer than examples are. */
const LONGER = [
  `(def orders (tool/echo {:rows [{"id" 1 "total" 12.5 "tags" ["a" "b"]} {"id" 2 "total" nil}]}))
   (defn total "of all orders" [rows & more]
     (->> rows (filter #(number? (:total %))) (map :total) (reduce + 0)))
   (let [{:keys [rows] :or {rows []} :as all} orders
         paid (task "charge" (do (println "charging" (count rows)) (tool/echo {:amount (total rows)})))]
     (step-done "charge" (str "charged " (:amount paid)))
     (if (> (:amount paid) 10) (return {:ok true :amount (:amount paid)}) (fail {:reason :too_small :message "no"})))`,
  `(def words (split "the quick brown fox jumps over the lazy dog" " "))
   (defn shout [w] (upcase (str w "!")))
   (let [by (group-by count words) longest (last (sort (keys by)))]
     (loop [left (sort-by count > words) seen {} n 0]
       (if (or (empty? left) (> n 20))
         {:longest (by longest) :seen seen :said (map shout (take 2 words))}
         (recur (rest left) (update seen (count (first left)) (fnil inc 0)) (inc n)))))`,
  `(pmap (fn [{:keys [id tags]}]
           (let [found (task (str "look_" id) (tool/echo {:id id :q (join "," tags)}))]
             (cond (nil? found) :none (= (:id found) id) {:id id :hits (count tags)} :else :other)))
         [{:id 1 :tags ["x"]} {:id 2 :tags []} {:id 3 :tags ["y" "z"]}])`,
];
