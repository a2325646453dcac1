;; Agents' everyday work: joins, differences, duplicates, trees, dependencies.

(let [left [{:id 1 :a "x"} {:id 2 :a "y"}]
      right [{:id 2 :b "z"} {:id 3 :b "w"}]
      by-id (into {} (map (juxt :id identity) right))]
  (for [l left :let [r (by-id (:id l))] :when r]
    (merge l r)))
;=> [{:a "y" :b "z" :id 2}]
(let [left [{:id 1} {:id 2}]
      right {2 "two"}]
  (map #(assoc % :label (get right (:id %) "none")) left))
;=> [{:id 1 :label "none"} {:id 2 :label "two"}]
(let [before {:a 1 :b 2 :c 3}
      after {:b 2 :c 4 :d 5}
      ks (fn [m] (set (keys m)))]
  {:added (sort (seq (difference (ks after) (ks before))))
   :removed (sort (seq (difference (ks before) (ks after))))
   :changed (for [k (sort (seq (intersection (ks before) (ks after)))) :when (not= (k before) (k after))] k)})
;=> {:added [:d] :changed [:c] :removed [:a]}
(let [old #{"a" "b" "c"} new #{"b" "d"}]
  [(count (union old new)) (intersection old new) (difference new old)])
;=> [4 #{"b"} #{"d"}]
(->> [{:email "A@x.org" :n 1} {:email "b@x.org" :n 2} {:email "a@x.org " :n 3}]
     (map #(update % :email (fn [e] (downcase (trim e)))))
     (distinct-by :email)
     (map :n))
;=> [1 2]
(let [rows [{:id 1 :v 1 :at 5} {:id 2 :v 7 :at 1} {:id 1 :v 9 :at 8}]]
  (->> (group-by :id rows)
       vals
       (map #(max-by :at %))
       (map (juxt :id :v))))
;=> [[1 9] [2 7]]
(let [rows [["a" 1] ["b" 2] ["a" 1] ["a" 3]]
      twice (filter (fn [[_ n]] (> n 1)) (frequencies rows))]
  (map first twice))
;=> [["a" 1]]
(let [merge-all (fn [ms] (reduce (fn [acc m] (reduce (fn [a [k v]] (update a k (fnil conj []) v)) acc m)) {} ms))]
  (merge-all [{:a 1 :b 2} {:a 3} {:c 4}]))
;=> {:a [1 3] :b [2] :c [4]}
(defn deep-merge [a b]
  (reduce (fn [m [k v]]
            (assoc m k (if (and (map? v) (map? (get m k))) (deep-merge (get m k) v) v)))
          a b))
(deep-merge {:db {:host "x" :port 1} :debug true} {:db {:port 2} :debug false})
;=> {:db {:host "x" :port 2} :debug false}
(let [tree {:id 1 :kids [{:id 2 :kids [{:id 4}]} {:id 3}]}]
  (->> (tree-seq :kids :kids tree)
       (remove :kids)
       (map :id)))
;=> [4 3]
(defn depth [{:keys [kids]}]
  (inc (reduce max 0 (map depth kids))))
(depth {:kids [{:kids [{} {:kids [{}]}]} {}]})
;=> 4
(let [rows [{:id 1 :parent nil} {:id 2 :parent 1} {:id 3 :parent 1} {:id 4 :parent 3}]
      kids (group-by :parent rows)]
  (defn build [row] {:id (:id row) :kids (map build (get kids (:id row)))})
  (build (first rows)))
;=> {:id 1 :kids [{:id 2 :kids []} {:id 3 :kids [{:id 4 :kids []}]}]}
(let [parent {:d :c :c :b :b :a}]
  (loop [x :d path [:d]]
    (if-let [up (parent x)]
      (recur up (conj path up))
      path)))
;=> [:d :c :b :a]
(loop [todo {"deploy" ["test" "build"] "test" ["build"] "build" [] "docs" []} order []]
  (if (empty? todo)
    order
    (let [done (set order)
          ready (sort (map key (filter (fn [[_ needs]] (every? done needs)) todo)))]
      (when (empty? ready) (fail :circle))
      (recur (reduce dissoc todo ready) (concat order ready)))))
;=> ["build" "docs" "test" "deploy"]
(loop [todo {"a" ["b"] "b" ["a"]} order []]
  (if (empty? todo)
    order
    (let [done (set order)
          ready (sort (map key (filter (fn [[_ needs]] (every? done needs)) todo)))]
      (when (empty? ready) (fail {:circle (keys todo)}))
      (recur (reduce dissoc todo ready) (concat order ready)))))
;!! fail {:circle ["a" "b"]}
(let [edges [[1 2] [2 3] [4 5]]
      neighbours (reduce (fn [m [a b]] (-> m (update a (fnil conj []) b) (update b (fnil conj []) a))) {} edges)]
  (loop [front [1] seen #{}]
    (if (empty? front)
      (sort (seq seen))
      (let [x (first front)]
        (if (contains? seen x)
          (recur (rest front) seen)
          (recur (concat (rest front) (neighbours x)) (conj seen x)))))))
;=> [1 2 3]
(let [matrix [[1 2] [3 4] [5 6]]]
  (apply map vector matrix))
;=> [[1 3 5] [2 4 6]]
(let [header ["id" "name"]
      rows [["1" "Ada"] ["2" "Bo"]]]
  (map (fn [row] (into {} (zip header row))) rows))
;=> [{"id" "1" "name" "Ada"} {"id" "2" "name" "Bo"}]
(let [csv "id,name,city\n1,Ada,Ulm\n2,Bo,Kiel\n"
      [header & rows] (map #(split % ",") (split-lines csv))]
  (->> rows
       (map #(into {} (map vector header %)))
       (filter #(= (get % "city") "Kiel"))
       (map #(get % "name"))))
;=> ["Bo"]
(let [rows [{"id" 1 "name" "Ada"} {"id" 2 "name" "Bo"}]
      cols ["name" "id"]
      line (fn [row] (join "," (map #(get row %) cols)))]
  (join "\n" (concat [(join "," cols)] (map line rows))))
;=> "name,id\nAda,1\nBo,2"
(let [nested {:a {:b 1 :c {:d 2}} :e 3}]
  (defn paths [m prefix]
    (mapcat (fn [[k v]]
              (let [path (conj prefix (subs (str k) 1))]
                (if (map? v) (paths v path) [[(join "." path) v]])))
            m))
  (into {} (paths nested [])))
;=> {"a.b" 1 "a.c.d" 2 "e" 3}
(let [flat {"a.b" 1 "a.c" 2 "d" 3}]
  (reduce (fn [m [k v]] (assoc-in m (split k ".") v)) {} flat))
;=> {"a" {"b" 1 "c" 2} "d" 3}
(let [rename {:fname :first :lname :last}
      row {:fname "Ada" :lname "L" :age 36}]
  (into {} (map (fn [[k v]] [(get rename k k) v]) row)))
;=> {:age 36 :first "Ada" :last "L"}
(let [clean (fn [m] (into {} (remove (fn [[_ v]] (or (nil? v) (= v ""))) m)))]
  (map clean [{:a 1 :b nil} {:a "" :c false}]))
;=> [{:a 1} {:c false}]
(postwalk (fn [x] (if (map? x) (into {} (remove (fn [[_ v]] (nil? v)) x)) x))
          {:a nil :b {:c nil :d [{:e nil :f 1}]}})
;=> {:b {:d [{:f 1}]}}
(let [index (into {} (map-indexed (fn [i x] [x i]) ["low" "mid" "high"]))]
  (sort-by #(index (:prio %)) [{:t 1 :prio "high"} {:t 2 :prio "low"} {:t 3 :prio "mid"}]))
;=> [{:prio "low" :t 2} {:prio "mid" :t 3} {:prio "high" :t 1}]
(let [a [1 3 5] b [2 3 5 8]]
  {:both (filter (set b) a) :only-b (remove (set a) b)})
;=> {:both [3 5] :only-b [2 8]}
(let [slots [{:id 1 :from 9 :to 11} {:id 2 :from 10 :to 12} {:id 3 :from 12 :to 13}]]
  (for [[a b] (combinations slots 2)
        :when (and (< (:from a) (:to b)) (< (:from b) (:to a)))]
    [(:id a) (:id b)]))
;=> [[1 2]]
(reduce (fn [out [from to]]
          (let [[lf lt] (last out)]
            (if (and lt (<= from lt))
              (conj (butlast out) [lf (max lt to)])
              (conj out [from to]))))
        []
        (sort [[5 7] [1 3] [2 4] [7 9]]))
;=> [[1 4] [5 9]]
(let [votes {"ann" ["a" "b"] "bob" ["b"] "cid" ["b" "c"]}
      tally (frequencies (mapcat val votes))
      top (apply max (vals tally))]
  (sort (map key (filter (fn [[_ n]] (= n top)) tally))))
;=> ["b"]
(let [users [{:id 1 :roles [:admin :dev]} {:id 2 :roles [:dev]} {:id 3 :roles []}]]
  (reduce (fn [m {:keys [id roles]}]
            (reduce (fn [m r] (update m r (fnil conj []) id)) m roles))
          {}
          users))
;=> {:admin [1] :dev [1 2]}
(let [batches (fn [xs size] (map-indexed (fn [i part] {:batch (inc i) :ids part}) (partition-all size xs)))]
  (batches (map :id data/orders) 2))
;=> [{:batch 1 :ids [101 102]} {:batch 2 :ids [103 104]} {:batch 3 :ids [105]}]
